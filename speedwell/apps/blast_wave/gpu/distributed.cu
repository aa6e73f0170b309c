// A slab's step: the kernels of step.hpp and product.hpp as GpuSolver enqueues them, on the domain RankSlab, and one
// kernel more, which computes the state per unit mass in the halo.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/blast_wave/gpu/memory.hpp"
#include "speedwell/apps/blast_wave/gpu/step.hpp"
#include "speedwell/apps/blast_wave/gpu_distributed.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/apps/blast_wave/ranks/planes.hpp"
#include "speedwell/apps/blast_wave/ranks/state_division.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::blast_wave {
namespace {

using namespace device;
using OwnLine = LineOf<RankSlab::halo>;
using OwnSlab = SlabOf<RankSlab::halo>;

/// The state per unit mass in the halo, when the neighbours' state is there.
__global__ void __launch_bounds__(threads) specific_in_halo(Medium m, Vectors a, const Scalars* k) {
  if (k->stop_reason != 0) return;
  const int below = RankSlab::halo * m.step[2], n = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (n >= 2 * below) return;
  const int p = n < below ? n : n + m.points - 2 * below;
  double q[5];
  for (int c = 0; c < 5; ++c) q[c] = a.q[c * m.stride + p];
  store(specific(q), a.w, m.stride, p);
}

std::vector<PlaneSlab> slabs_of(const Problem& problem, int ranks) {
  std::vector<PlaneSlab> all;
  for (int r = 0; r < ranks; ++r) all.emplace_back(problem, ranks, r);
  return all;
}
std::vector<comm::Range> points_of(const std::vector<PlaneSlab>& slabs) {
  std::vector<comm::Range> all;
  for (const PlaneSlab& slab : slabs) all.push_back(slab.points());
  return all;
}

/// Collective. Runs `action` on each rank, and throws on all ranks what it throws on one of them, so that no rank waits
/// for one that has given up.
template <class Error, class Action>
void throw_together(const comm::Communicator& ranks, const Action& action) {
  std::string reason;
  try {
    action();
  } catch (const Error& e) {
    reason = e.what();
  }
  for (const std::string& text : ranks.gather(reason))
    if (!text.empty()) throw Error(text);
}

/// What a rank of several has. On one there is a GpuSolver instead.
class SlabOfSeveral {
 public:
  SlabOfSeveral(const comm::Communicator& ranks, const Problem& problem, int max_steps, const core::Stream& stream)
      : ranks_(ranks),
        problem_(problem),
        slabs_(slabs_of(problem, ranks.size())),
        slab_(slabs_[static_cast<std::size_t>(ranks.rank())]),
        m_(slab_.medium()),
        states_(ranks, problem, points_of(slabs_)),
        sums_(ranks),
        shared_(ranks, shared_vectors * vector_size() * sizeof(double)),
        host_(5 * static_cast<std::size_t>(slab_.count())) {
    for (auto* vector : {&start_, &w_, &shadow_, &b_}) *vector = zeros<double>(vector_size(), stream);
    strength_ = zeros<double>(3 * static_cast<std::size_t>(m_.stride), stream);
    const dim3 slabs = OwnSlab::grid(m_);
    const std::size_t max_blocks =
        std::max<std::size_t>(OwnLine::grid(m_).x, static_cast<std::size_t>(slabs.x) * slabs.y);
    partial_ = zeros<double>(5 * max_blocks, stream);
    done_ = zeros<unsigned>(1, stream);
    scalars_ = zeros<Scalars>(1, stream);
    history_ = zeros<StepRecord>(static_cast<std::size_t>(max_steps), stream);
    loop_ = numerics::LoopGraph(stream, [&](cudaGraphConditionalHandle handle) {
      iterate(stream);
      set_loop_condition<<<1, 1, 0, stream.get()>>>(scalars_.data(), handle);
      core::check(cudaGetLastError());
    });
    stream.synchronize();
  }

  void scatter_saved(const State* whole, const core::Stream& stream) {
    states_.scatter(whole, variables());
    const auto n = static_cast<std::size_t>(slab_.count());
    for (int c = 0; c < 5; ++c)
      core::copy_async(start_.data() + own(c), host_.data() + n * static_cast<std::size_t>(c), n, stream);
    const bool is_root = ranks_.rank() == 0;
    start_time_ = ranks_.broadcast(is_root ? whole->time : 0.0);
    start_step_ = ranks_.broadcast(is_root ? whole->step : std::int64_t{0});
    stream.synchronize();
  }
  // The halo is not copied: the neighbours may have stored the planes that they restored.
  void restore(const core::Stream& stream) {
    enqueued_ = 0;
    for (int c = 0; c < 5; ++c)
      core::copy_async(vector(Shared::q) + own(c), start_.data() + own(c), static_cast<std::size_t>(slab_.count()),
                       stream);
    core::fill_bytes_async(scalars_, 0, stream);
    commit_step(false, stream);
  }
  void run(int steps, const core::Stream& stream) {
    if (steps < 0 || static_cast<std::size_t>(steps) > history_.size() - static_cast<std::size_t>(enqueued_))
      throw std::invalid_argument("blast_wave: " + std::to_string(steps) + " steps after " + std::to_string(enqueued_) +
                                  "; the history has room for " + std::to_string(history_.size()));
    enqueued_ += steps;
    for (int step = 0; step < steps; ++step) {
      begin(stream);
      solve(stream);
      product<OwnSlab, When::open><<<OwnSlab::grid(m_), OwnSlab::block(), 0, stream.get()>>>(
          blocks(), plain(Shared::x), OverRanks<TrueResidual>{{b_.data(), m_.stride, scalars_.data()}, domain()},
          space());
      finish_step<<<OwnLine::grid(m_), threads, 0, stream.get()>>>(m_, vectors(), scalars_.data(), history_.data(),
                                                                   space(), domain());
      core::check(cudaGetLastError());
      commit_step(true, stream);
    }
  }
  History finish(State* whole, const core::Stream& stream) {
    check_together(stream);
    const Scalars end = scalars(stream);
    History h;
    h.steps.resize(static_cast<std::size_t>(end.step));
    h.stop_reason = static_cast<StopReason>(end.stop_reason);
    core::copy_async(h.steps.data(), history_.data(), h.steps.size(), stream);
    const auto n = static_cast<std::size_t>(slab_.count());
    for (int c = 0; c < 5; ++c)
      core::copy_async(host_.data() + n * static_cast<std::size_t>(c), vector(Shared::q) + own(c), n, stream);
    stream.synchronize();
    if (end.stop_reason != 0 && end.bad_point != INT_MAX) describe(end.bad_point, h, stream);
    states_.gather(variables(), whole);
    if (ranks_.rank() != 0) return h;
    whole->time = start_time_ + end.time;
    whole->step = start_step_ + end.step - (h.stop_reason == StopReason::done ? 0 : 1);
    return h;
  }
  void save(const core::Stream& stream) {
    check_together(stream);
    const Scalars end = scalars(stream);
    for (int c = 0; c < 5; ++c)
      core::copy_async(start_.data() + own(c), vector(Shared::q) + own(c), static_cast<std::size_t>(slab_.count()),
                       stream);
    start_time_ += end.time;
    start_step_ += end.step - (end.stop_reason == 0 ? 0 : 1);
    restore(stream);
    stream.synchronize();
  }

  void loop_by_host(bool wanted) { by_host_ = wanted; }
  double exchange_seconds() const { return sums_.seconds(); }

 private:
  /// Collective. Waits; throws on all ranks if one of them has waited for a sum in vain.
  void check_together(const core::Stream& stream) const {
    throw_together<core::DeviceError>(ranks_, [&] { sums_.check(stream); });
  }
  std::size_t vector_size() const { return 5 * static_cast<std::size_t>(m_.stride); }
  /// The index of the first own point of variable c in a vector.
  std::ptrdiff_t own(int c) const { return std::ptrdiff_t{c} * m_.stride + slab_.first(); }
  /// The rank's part of the state in memory of the host.
  StateDivision::Variable variables() {
    const auto n = static_cast<std::size_t>(slab_.count());
    return [this, n](int c) { return host_.span().subspan(n * static_cast<std::size_t>(c), n); };
  }
  double* vectors_of(int rank) const { return reinterpret_cast<double*>(shared_.of(rank)); }
  double* vector(Shared which) const {
    return vectors_of(ranks_.rank()) + static_cast<std::size_t>(which) * vector_size();
  }

  SumWorkspace space() { return {partial_.data(), done_.data(), nullptr, partial_.size() / 5}; }
  Plain plain(Shared which) const { return {vector(which), m_.stride}; }
  Recomputed blocks() const { return {m_, vector(Shared::q), w_.data(), strength_.data()}; }
  Vectors vectors() {
    return {vector(Shared::q), w_.data(),         strength_.data(),       vector(Shared::x), vector(Shared::r),
            shadow_.data(),    vector(Shared::p), vector(Shared::v_even), vector(Shared::t), b_.data()};
  }
  RankSlab domain() const {
    const int n = ranks_.size(), below = (ranks_.rank() + n - 1) % n, above = (ranks_.rank() + 1) % n;
    const PlaneSlab &slab_below = slabs_[static_cast<std::size_t>(below)],
                    &slab_above = slabs_[static_cast<std::size_t>(above)];
    return {.below = {vectors_of(below), slab_below.medium().stride, slab_.shift_below(slab_below)},
            .above = {vectors_of(above), slab_above.medium().stride, slab_.shift_above()},
            .v_odd = vector(Shared::v_odd),
            .first_point = static_cast<int>(slab_.points().begin),
            .points = static_cast<int>(problem_.extents.points()),
            .ranks = sums_.view()};
  }

  void begin(const core::Stream& stream) {
    const dim3 lines = OwnLine::grid(m_), halo = static_cast<unsigned>((2 * slab_.first() + threads - 1) / threads);
    begin_step<<<1, 1, 0, stream.get()>>>(m_, scalars_.data(), problem_.max_squared_residual, problem_.max_iterations,
                                          domain());
    specific_in_halo<<<halo, threads, 0, stream.get()>>>(m_, vectors(), scalars_.data());
    faces<<<LineOf<RankSlab::halo / 2>::grid(m_), threads, 0, stream.get()>>>(m_, vectors(), scalars_.data(), domain());
    right_hand_sides<<<lines, threads, 0, stream.get()>>>(m_, vectors(), scalars_.data(), space(), domain());
    core::check(cudaGetLastError());
  }
  /// The body of the device-side loop.
  void iterate(const core::Stream& stream) {
    Scalars* const k = scalars_.data();
    double *const v = vector(Shared::v_even), *const v_odd = vector(Shared::v_odd), *const t = vector(Shared::t);
    const SendV keep_v{{{v, shadow_.data(), m_.stride, k}, domain()}, m_, v_odd};
    const SendT keep_t{{{t, shadow_.data(), m_.stride, k, true}, domain()}, m_};
    const HalfPointStateOfTwo half{{vector(Shared::r), v, m_.stride, k}, v_odd};
    const dim3 grid = OwnSlab::grid(m_), block = OwnSlab::block();
    const auto n = static_cast<std::int64_t>(vector_size());
    for (int i = 0; i < iterations_recorded; ++i) {
      product<OwnSlab, When::running><<<grid, block, 0, stream.get()>>>(blocks(), plain(Shared::p), keep_v, space());
      product<OwnSlab, When::running><<<grid, block, 0, stream.get()>>>(blocks(), half, keep_t, space());
      update<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(vectors(), n, k, domain());
    }
    core::check(cudaGetLastError());
  }
  void solve(const core::Stream& stream) {
    if (!by_host_) return loop_.launch(stream);
    do iterate(stream);
    while (scalars(stream).running);
  }
  void commit_step(bool adds, const core::Stream& stream) {
    commit<<<OwnLine::grid(m_), threads, 0, stream.get()>>>(m_, vectors(), scalars_.data(), adds, domain());
    core::check(cudaGetLastError());
  }

  Scalars scalars(const core::Stream& stream) const {
    Scalars now;
    core::copy_async(&now, scalars_.data(), 1, stream);
    stream.synchronize();
    return now;
  }
  /// Collective. What the point that is not admissible would have had: the rank that has it says so to all. The own
  /// points of the state are in host_.
  void describe(int point, History& h, const core::Stream& stream) {
    int owner = 0;
    while (slabs_[static_cast<std::size_t>(owner)].points().end <= point) ++owner;
    double values[5] = {};
    if (owner == ranks_.rank()) {
      const int here = slab_.here(point);
      for (int c = 0; c < 5; ++c)
        core::copy_async(values + c, vector(Shared::x) + std::ptrdiff_t{c} * m_.stride + here, 1, stream);
      stream.synchronize();
      for (int c = 0; c < 5; ++c) values[c] += variables()(c)[static_cast<std::size_t>(here - slab_.first())];
    }
    ranks_.broadcast(std::span<double>(values), owner);
    h.point = point;
    h.density = values[0];
    h.pressure = pressure_of(problem_.gas, values);
  }

  const comm::Communicator& ranks_;
  Problem problem_;
  std::vector<PlaneSlab> slabs_;
  PlaneSlab slab_;
  Medium m_;
  StateDivision states_;
  comm::DeviceSums sums_;
  comm::PeerMemory shared_;
  core::HostBuffer<double> host_;
  core::DeviceBuffer<double> start_, w_, shadow_, b_, strength_, partial_;
  core::DeviceBuffer<unsigned> done_;
  core::DeviceBuffer<Scalars> scalars_;
  core::DeviceBuffer<StepRecord> history_;
  double start_time_ = 0;
  std::int64_t start_step_ = 0;
  int enqueued_ = 0;
  bool by_host_ = false;
  numerics::LoopGraph loop_;
};

}  // namespace

struct DistributedGpuSolver::Data {
  Data(const comm::Communicator& all, const Problem& chosen) : ranks(all), problem(chosen) {}

  const comm::Communicator& ranks;
  Problem problem;
  std::optional<GpuSolver> alone;
  std::optional<SlabOfSeveral> slab;
};

DistributedGpuSolver::DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem, int max_steps,
                                           const core::Stream& stream)
    : data_(std::make_unique<Data>(ranks, problem)) {
  require_valid(problem);
  require_planes(problem.extents, ranks.size());
  if (max_steps < 1)
    throw std::invalid_argument("blast_wave: the maximum number of steps must be at least 1, got " +
                                std::to_string(max_steps));
  throw_together<core::Unavailable>(ranks, [&] {
    const int slabs = ranks.size();
    require_device_bytes(problem.extents, distributed_gpu_bytes(problem.extents, slabs, max_steps),
                         slabs == 1 ? "" : "each of " + std::to_string(slabs) + " slabs of ");
  });
  if (ranks.size() == 1)
    data_->alone.emplace(problem, BlockSource::recomputed, max_steps, stream);
  else
    data_->slab.emplace(ranks, problem, max_steps, stream);
}

void DistributedGpuSolver::scatter_saved(const State* whole, const core::Stream& stream) {
  data_->alone ? data_->alone->upload_saved(*whole, stream) : data_->slab->scatter_saved(whole, stream);
}
void DistributedGpuSolver::restore(const core::Stream& stream) {
  data_->alone ? data_->alone->restore(stream) : data_->slab->restore(stream);
}
void DistributedGpuSolver::run(int steps, const core::Stream& stream) {
  data_->alone ? data_->alone->run(steps, stream) : data_->slab->run(steps, stream);
}
History DistributedGpuSolver::finish(State* whole, const core::Stream& stream) {
  return data_->alone ? data_->alone->finish(*whole, stream) : data_->slab->finish(whole, stream);
}
void DistributedGpuSolver::save(const core::Stream& stream) {
  data_->alone ? data_->alone->save(stream) : data_->slab->save(stream);
}
void DistributedGpuSolver::loop_by_host(bool wanted) {
  data_->alone ? data_->alone->loop_by_host(wanted) : data_->slab->loop_by_host(wanted);
}
double DistributedGpuSolver::exchange_seconds() const { return data_->alone ? 0 : data_->slab->exchange_seconds(); }
std::string DistributedGpuSolver::division_text() const {
  return core::counted(data_->ranks.size(), "slab") + " along z";
}

}  // namespace speedwell::blast_wave

// A time step on the device, in this order: dissipation strengths of faces, right-hand side, the blocks of the matrix
// if they are stored, BiCGSTAB in a device-side loop, the new state, and its values per unit mass and largest wave
// rate, from which the next time step follows.
#include <algorithm>
#include <climits>
#include <memory>
#include <stdexcept>
#include <string>

#include "speedwell/apps/blast_wave/gpu/memory.hpp"
#include "speedwell/apps/blast_wave/gpu/step.hpp"
#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::blast_wave {
namespace {

using namespace device;

template <class T>
__global__ void __launch_bounds__(threads) assemble_blocks(Medium m, Vectors a, const Scalars* k, T* blocks) {
  if (k->stop_reason != 0) return;
  const int p = Line::point(m);
  if (p >= Line::end(m)) return;
  T* const own = blocks + static_cast<std::int64_t>(p / tile) * entries * tile + p % tile;
  assemble(m, k->weights, Flow{&m, a.q, a.w}, a.strength, site_of(m, p),
           [&](int entry, double value) { __stcs(own + entry * tile, static_cast<T>(value)); });
}

// The five sums of x over all points are zero with exact blocks, because the block columns of the matrix sum to the
// identity and b to zero: the scheme is conservative. Sums that blocks rounded to f32 leave would accumulate from step
// to step; their means are subtracted before the residual with exact blocks is computed.
__global__ void __launch_bounds__(threads) compute_means(Medium m, Vectors a, Scalars* k, SumWorkspace space) {
  if (!k->candidate) return;
  const int p = Line::point(m);
  Terms<5> sum;
  if (p < Line::end(m))
    for (int c = 0; c < 5; ++c) sum[c] = a.x[c * m.stride + p];
  numerics::grid_sum(sum, space, [&](const Terms<5>& total) {
    for (int c = 0; c < 5; ++c) k->mean[c] = total[c] / m.points;
  });
}
__global__ void __launch_bounds__(threads) subtract_means(Medium m, Vectors a, const Scalars* k) {
  if (!k->candidate) return;
  const int p = Line::point(m);
  if (p >= Line::end(m)) return;
  for (int c = 0; c < 5; ++c) a.x[c * m.stride + p] -= k->mean[c];
}

std::size_t vector_size(const Medium& m) { return 5 * static_cast<std::size_t>(m.stride); }

}  // namespace

struct GpuSolver::Parts {
  Problem problem;
  BlockSource source;
  Medium m;
  core::DeviceBuffer<double> start, q, w, strength, x, r, shadow, p, v, t, b, a64, partial, sums;
  core::DeviceBuffer<float> a32;
  core::DeviceBuffer<unsigned> done;
  core::DeviceBuffer<Scalars> scalars;
  core::DeviceBuffer<StepRecord> history;
  double start_time = 0;
  std::int64_t start_step = 0;
  int enqueued = 0;
  bool by_host = false;
  numerics::LoopGraph loop;

  Parts(const Problem& chosen, BlockSource blocks, int max_steps, const core::Stream& stream)
      : problem(chosen), source(blocks), m(medium_of(chosen)) {
    require_device_bytes(problem.extents, gpu_bytes(problem.extents, blocks, max_steps));
    const std::size_t n = vector_size(m);
    for (auto* vector : {&start, &q, &w, &x, &r, &shadow, &p, &v, &t, &b}) *vector = zeros<double>(n, stream);
    strength = zeros<double>(3 * static_cast<std::size_t>(m.stride), stream);
    const std::size_t stored = static_cast<std::size_t>(entries) * static_cast<std::size_t>(m.stride);
    if (source == BlockSource::f64) a64 = zeros<double>(stored, stream);
    if (source == BlockSource::f32) a32 = zeros<float>(stored, stream);
    const dim3 slabs = Slab::grid(m);
    const std::size_t max_blocks = std::max<std::size_t>(Line::grid(m).x, static_cast<std::size_t>(slabs.x) * slabs.y);
    partial = zeros<double>(5 * max_blocks, stream);
    sums = zeros<double>(5, stream);
    done = zeros<unsigned>(1, stream);
    scalars = zeros<Scalars>(1, stream);
    history = zeros<StepRecord>(static_cast<std::size_t>(max_steps), stream);
    loop = numerics::LoopGraph(stream, [&](cudaGraphConditionalHandle handle) {
      body(stream);
      set_loop_condition<<<1, 1, 0, stream.get()>>>(scalars.data(), handle);
      core::check(cudaGetLastError());
    });
    stream.synchronize();
  }

  SumWorkspace space() { return {partial.data(), done.data(), sums.data(), partial.size() / 5}; }
  Plain plain(const core::DeviceBuffer<double>& buffer) const { return {buffer.data(), m.stride}; }
  Vectors vectors() {
    return {q.data(),      w.data(), strength.data(), x.data(), r.data(),
            shadow.data(), p.data(), v.data(),        t.data(), b.data()};
  }
  /// Calls body.operator()<Shape>(blocks) with the blocks of this solver.
  template <class Body>
  void with_blocks(const Body& body) {
    switch (source) {
      case BlockSource::f64:
        return body.template operator()<Line>(Stored<double>{m, a64.data()});
      case BlockSource::f32:
        return body.template operator()<Line>(Stored<float>{m, a32.data()});
      case BlockSource::recomputed:
        return body.template operator()<Slab>(Recomputed{m, q.data(), w.data(), strength.data()});
    }
  }
  template <class Shape, When when, class Blocks, class Source, class Sink>
  void pass(const Blocks& blocks, const Source& from, const Sink& sink, const core::Stream& stream) {
    product<Shape, when><<<Shape::grid(m), Shape::block(), 0, stream.get()>>>(blocks, from, sink, space());
    core::check(cudaGetLastError());
  }
  void iterate(const core::Stream& stream) {
    with_blocks([&]<class Shape>(const auto& blocks) {
      pass<Shape, When::running>(blocks, plain(p), KeepV{v.data(), shadow.data(), m.stride, scalars.data()}, stream);
      pass<Shape, When::running>(blocks, HalfPointState{r.data(), v.data(), m.stride, scalars.data()},
                                 KeepT{t.data(), shadow.data(), m.stride, scalars.data(), source != BlockSource::f32},
                                 stream);
    });
    const auto n = static_cast<std::int64_t>(vector_size(m));
    update<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(vectors(), n, scalars.data(), Whole{});
    core::check(cudaGetLastError());
  }
  /// The body of the device-side loop.
  void body(const core::Stream& stream) {
    for (int i = 0; i < iterations_recorded; ++i) iterate(stream);
    if (source != BlockSource::f32) return;
    compute_means<<<Line::grid(m), threads, 0, stream.get()>>>(m, vectors(), scalars.data(), space());
    subtract_means<<<Line::grid(m), threads, 0, stream.get()>>>(m, vectors(), scalars.data());
    core::check(cudaGetLastError());
    pass<Slab, When::candidate>(Recomputed{m, q.data(), w.data(), strength.data()}, plain(x),
                                Restart{b.data(), r.data(), shadow.data(), p.data(), m.stride, scalars.data()}, stream);
  }
  void solve(const core::Stream& stream) {
    if (!by_host) return loop.launch(stream);
    Scalars now;
    do {
      body(stream);
      core::copy_async(&now, scalars.data(), 1, stream);
      stream.synchronize();
    } while (now.running || now.candidate);
  }
  /// Computes |b - A x|^2 with exact blocks, before the state changes.
  void compute_true_residual(const core::Stream& stream) {
    const TrueResidual sink{b.data(), m.stride, scalars.data()};
    if (source == BlockSource::f64)
      pass<Line, When::open>(Stored<double>{m, a64.data()}, plain(x), sink, stream);
    else
      pass<Slab, When::open>(Recomputed{m, q.data(), w.data(), strength.data()}, plain(x), sink, stream);
  }
  void commit_step(bool adds, const core::Stream& stream) {
    commit<<<Line::grid(m), threads, 0, stream.get()>>>(m, vectors(), scalars.data(), adds, Whole{});
    core::check(cudaGetLastError());
  }
  /// All work of a step before BiCGSTAB.
  void begin(const core::Stream& stream) {
    const dim3 lines = Line::grid(m);
    begin_step<<<1, 1, 0, stream.get()>>>(m, scalars.data(), problem.max_squared_residual, problem.max_iterations,
                                          Whole{});
    faces<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data(), Whole{});
    right_hand_sides<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data(), space(), Whole{});
    if (source == BlockSource::f64)
      assemble_blocks<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data(), a64.data());
    if (source == BlockSource::f32)
      assemble_blocks<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data(), a32.data());
    core::check(cudaGetLastError());
  }
};

GpuSolver::GpuSolver(const Problem& problem, BlockSource blocks, int max_steps, const core::Stream& stream) {
  require_valid(problem);
  if (max_steps < 1)
    throw std::invalid_argument("blast_wave: the maximum number of steps must be at least 1, got " +
                                std::to_string(max_steps));
  parts_ = std::make_unique<Parts>(problem, blocks, max_steps, stream);
}

void GpuSolver::upload_saved(const State& state, const core::Stream& stream) {
  Parts& s = *parts_;
  require_admissible(s.problem, state);
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  for (std::size_t c = 0; c < 5; ++c) core::copy_async(s.start.data() + c * stride, state.q.data() + c * n, n, stream);
  s.start_time = state.time;
  s.start_step = state.step;
  stream.synchronize();
}

void GpuSolver::restore(const core::Stream& stream) {
  Parts& s = *parts_;
  s.enqueued = 0;
  core::copy_async(s.q.data(), s.start.data(), s.q.size(), stream);
  core::fill_bytes_async(s.scalars, 0, stream);
  s.commit_step(false, stream);
}

void GpuSolver::run(int steps, const core::Stream& stream) {
  Parts& s = *parts_;
  if (steps < 0 || static_cast<std::size_t>(steps) > s.history.size() - static_cast<std::size_t>(s.enqueued))
    throw std::invalid_argument("blast_wave: " + std::to_string(steps) + " steps after " + std::to_string(s.enqueued) +
                                "; the history has room for " + std::to_string(s.history.size()));
  s.enqueued += steps;
  for (int step = 0; step < steps; ++step) {
    s.begin(stream);
    s.solve(stream);
    s.compute_true_residual(stream);
    finish_step<<<Line::grid(s.m), threads, 0, stream.get()>>>(s.m, s.vectors(), s.scalars.data(), s.history.data(),
                                                               s.space(), Whole{});
    core::check(cudaGetLastError());
    s.commit_step(true, stream);
  }
}

History GpuSolver::finish(State& state, const core::Stream& stream) {
  Parts& s = *parts_;
  Scalars end;
  core::copy_async(&end, s.scalars.data(), 1, stream);
  stream.synchronize();
  History h;
  h.steps.resize(static_cast<std::size_t>(end.step));
  h.stop_reason = static_cast<StopReason>(end.stop_reason);
  if (end.stop_reason != 0 && end.bad_point != INT_MAX) h.point = end.bad_point;
  core::copy_async(h.steps.data(), s.history.data(), h.steps.size(), stream);
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  state.extents = s.problem.extents;
  state.q.resize(5 * n);
  for (std::size_t c = 0; c < 5; ++c) core::copy_async(state.q.data() + c * n, s.q.data() + c * stride, n, stream);
  double change[5] = {};
  if (h.point >= 0)
    for (int c = 0; c < 5; ++c) core::copy_async(change + c, s.x.data() + c * s.m.stride + h.point, 1, stream);
  stream.synchronize();
  if (h.point >= 0) {
    double own[5];
    for (std::size_t c = 0; c < 5; ++c) own[c] = state.q[c * n + static_cast<std::size_t>(h.point)] + change[c];
    h.density = own[0];
    h.pressure = pressure_of(s.problem.gas, own);
  }
  state.time = s.start_time + end.time;
  state.step = s.start_step + end.step - (h.stop_reason == StopReason::done ? 0 : 1);
  return h;
}

void GpuSolver::save(const core::Stream& stream) {
  Parts& s = *parts_;
  Scalars end;
  core::copy_async(&end, s.scalars.data(), 1, stream);
  core::copy_async(s.start.data(), s.q.data(), s.q.size(), stream);
  stream.synchronize();
  s.start_time += end.time;
  s.start_step += end.step - (end.stop_reason == 0 ? 0 : 1);
  restore(stream);
}

void GpuSolver::multiply(const double* x, double* y, const core::Stream& stream) {
  Parts& s = *parts_;
  s.with_blocks([&]<class Shape>(const auto& blocks) {
    product_alone<Shape>
        <<<Shape::grid(s.m), Shape::block(), 0, stream.get()>>>(blocks, Plain{x, s.m.stride}, y, s.scalars.data());
  });
  core::check(cudaGetLastError());
}

void GpuSolver::loop_by_host(bool wanted) { parts_->by_host = wanted; }

std::size_t GpuSolver::stride() const { return static_cast<std::size_t>(parts_->m.stride); }

}  // namespace speedwell::blast_wave

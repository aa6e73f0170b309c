// A time step on the device, in this order: dissipation strengths of faces, right-hand side, the blocks of the matrix
// if they are stored, BiCGSTAB in a device-side loop, the new state, and its values per unit mass and largest wave
// rate, from which the next time step follows.
#include <algorithm>
#include <climits>
#include <memory>
#include <stdexcept>
#include <string>

#include "speedwell/apps/blast_wave/gpu/memory.hpp"
#include "speedwell/apps/blast_wave/gpu/product.hpp"
#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::blast_wave {
namespace {

using namespace device;

// Iterations in the body of the loop: kernels that find the iteration converged and do nothing cost less than a turn of
// the graph's loop.
constexpr int iterations_recorded = 3;

// The vectors on the device: five variables each, Medium::stride apart, but three of `strength`. q: the state; w: the
// state per unit mass (Specific); x: the change of q in a step; b: the right-hand side; r, shadow, p, v, t: those of
// BiCGSTAB.
struct Vectors {
  double *q, *w, *strength, *x, *r, *shadow, *p, *v, *t, *b;
};

// If no step has failed: q += x if `adds`; then the state per unit mass and the largest wave rate for the next step.
__global__ void __launch_bounds__(threads) commit(Medium m, Vectors a, Scalars* k, bool adds) {
  if (k->stop_reason != 0) return;
  const int p = own_point();
  double fastest = 0;
  if (p < m.points) {
    double q[5];
    for (int c = 0; c < 5; ++c) {
      q[c] = a.q[c * m.stride + p];
      if (adds) a.q[c * m.stride + p] = q[c] += a.x[c * m.stride + p];
    }
    const Specific s = specific(q);
    store(s, a.w, m.stride, p);
    fastest = rate(m, s);
  }
  for (int distance = 16; distance > 0; distance /= 2) fastest = fmax(fastest, __shfl_xor_sync(~0u, fastest, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&k->rate_bits, static_cast<unsigned long long>(__double_as_longlong(fastest)));
}

__global__ void begin_step(Medium m, Scalars* k, double max_squared_residual, int max_iterations) {
  if (k->stop_reason != 0) return;
  k->dt = m.dt > 0 ? m.dt : m.cfl / __longlong_as_double(static_cast<long long>(k->rate_bits));
  k->rate_bits = 0;
  k->weights = weights_of(m, k->dt);
  k->max_squared_residual = max_squared_residual;
  k->max_iterations = max_iterations;
  k->iteration = k->restarts = k->candidate = k->updated = k->cycle_began = 0;
  k->open = 1;
  k->bad_point = INT_MAX;
}

__global__ void __launch_bounds__(threads) faces(Medium m, Vectors a, const Scalars* k) {
  if (k->stop_reason != 0) return;
  const int p = own_point();
  if (p >= m.points) return;
  const Site s = site_of(m, p);
  const Flow flow{&m, a.q, a.w};
#pragma unroll
  for (int d = 0; d < 3; ++d) a.strength[d * m.stride + p] = face_strength(m, flow, s, d);
}

__global__ void __launch_bounds__(threads) right_hand_sides(Medium m, Vectors a, Scalars* k, SumWorkspace space) {
  if (k->stop_reason != 0) return;
  const int p = own_point();
  Terms<1> sum;
  if (p < m.points) {
    double b[5];
    right_hand_side(m, Flow{&m, a.q, a.w}, site_of(m, p), k->dt, b);
    for (int c = 0; c < 5; ++c) {
      const int at = c * m.stride + p;
      a.r[at] = a.shadow[at] = a.p[at] = a.b[at] = b[c];
      a.x[at] = 0;
      sum[0] += b[c] * b[c];
    }
  }
  numerics::grid_sum(sum, space, [&](const Terms<1>& total) {
    k->bb = k->rr = k->rho = total[0];
    k->running = total[0] > k->max_squared_residual;
    k->cycle = fmax(k->max_squared_residual, cycle_depth * total[0]);
    if (!isfinite(total[0])) {
      k->stop_reason = static_cast<int>(StopReason::not_admissible);
      k->running = 0;
    }
  });
}

template <class T>
__global__ void __launch_bounds__(threads) assemble_blocks(Medium m, Vectors a, const Scalars* k, T* blocks) {
  if (k->stop_reason != 0) return;
  const int p = own_point();
  if (p >= m.points) return;
  T* const own = blocks + static_cast<std::int64_t>(p / tile) * entries * tile + p % tile;
  assemble(m, k->weights, Flow{&m, a.q, a.w}, a.strength, site_of(m, p),
           [&](int entry, double value) { __stcs(own + entry * tile, static_cast<T>(value)); });
}

// This also runs after the iteration that cleared `running`, because x still lacks its last direction.
__global__ void __launch_bounds__(256) update(Vectors a, std::int64_t n, const Scalars* k) {
  if (k->iteration == k->updated) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  const double alpha = k->alpha, omega = k->omega, beta = k->beta;
  if (at < n) {
    const double p = a.p[at], v = a.v[at], s = a.r[at] - alpha * v, r = s - omega * a.t[at];
    a.x[at] += alpha * p + omega * s;
    a.r[at] = r;
    a.p[at] = r + beta * (p - omega * v);
  }
}

// The five sums of x over all points are zero with exact blocks, because the block columns of the matrix sum to the
// identity and b to zero: the scheme is conservative. Sums that blocks rounded to f32 leave would accumulate from step
// to step; their means are subtracted before the residual with exact blocks is computed.
__global__ void __launch_bounds__(threads) compute_means(Medium m, Vectors a, Scalars* k, SumWorkspace space) {
  if (!k->candidate) return;
  const int p = own_point();
  Terms<5> sum;
  if (p < m.points)
    for (int c = 0; c < 5; ++c) sum[c] = a.x[c * m.stride + p];
  numerics::grid_sum(sum, space, [&](const Terms<5>& total) {
    for (int c = 0; c < 5; ++c) k->mean[c] = total[c] / m.points;
  });
}
__global__ void __launch_bounds__(threads) subtract_means(Medium m, Vectors a, const Scalars* k) {
  if (!k->candidate) return;
  const int p = own_point();
  if (p >= m.points) return;
  for (int c = 0; c < 5; ++c) a.x[c * m.stride + p] -= k->mean[c];
}

__global__ void set_loop_condition(const Scalars* k, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, k->running || k->candidate ? 1u : 0u);
}

__global__ void __launch_bounds__(threads)
    finish_step(Medium m, Vectors a, Scalars* k, StepRecord* history, SumWorkspace space) {
  if (!k->open) return;
  const int p = own_point();
  Terms<1> sum;
  if (p < m.points) {
    double q[5];
    for (int c = 0; c < 5; ++c) {
      const double dq = a.x[c * m.stride + p];
      q[c] = a.q[c * m.stride + p] + dq;
      sum[0] += dq * dq;
    }
    const double pressure = q[4] - 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
    if (!(q[0] > 0 && pressure > 0 && isfinite(q[0]) && isfinite(pressure))) atomicMin(&k->bad_point, p);
  }
  numerics::grid_sum(sum, space, [&](const Terms<1>& total) {
    history[k->step] = {k->dt, k->bb, k->rr, k->true_residual, sqrt(total[0]), k->iteration, k->restarts};
    ++k->step;
    k->open = 0;
    if (k->stop_reason != 0) return;
    if (atomicMin(&k->bad_point, INT_MAX) != INT_MAX)
      k->stop_reason = static_cast<int>(StopReason::not_admissible);
    else
      k->time += k->dt;
  });
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

  template <class T>
  static core::DeviceBuffer<T> zeros(std::size_t size, const core::Stream& stream) {
    core::DeviceBuffer<T> buffer(size);
    core::fill_bytes_async(buffer, 0, stream);
    return buffer;
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
    update<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(vectors(), n, scalars.data());
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
    commit<<<Line::grid(m), threads, 0, stream.get()>>>(m, vectors(), scalars.data(), adds);
    core::check(cudaGetLastError());
  }
  /// All work of a step before BiCGSTAB.
  void begin(const core::Stream& stream) {
    const dim3 lines = Line::grid(m);
    begin_step<<<1, 1, 0, stream.get()>>>(m, scalars.data(), problem.max_squared_residual, problem.max_iterations);
    faces<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data());
    right_hand_sides<<<lines, threads, 0, stream.get()>>>(m, vectors(), scalars.data(), space());
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
                                                               s.space());
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

// The article's products, reductions, and division of work between host and device. Vectors have the five variables of
// a point adjacent; entry (l, m) of block b of point p is at ((b points + p) 5 + m) 5 + l, as in its Fortran.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/gpu/memory.hpp"
#include "speedwell/apps/blast_wave/gpu_article.hpp"
#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::blast_wave {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr int threads = 256;
constexpr int max_sums = 1024;  // partial sums that the host adds

__device__ Site neighbour(const Medium& m, Site s, int b) {
  return b == 0 ? s : moved(m, s, (b - 1) / 2, b % 2 == 1 ? -1 : 1);
}

// One point per block of 25 threads: its seven 5x5 blocks.
__global__ void __launch_bounds__(32) one_point(Medium m, const double* a, const double* x, double* y) {
  __shared__ double sums[25];
  const int thread = static_cast<int>(threadIdx.x), p = static_cast<int>(blockIdx.x);
  const Site s = site_of(m, p);
  double sum = 0;
  for (int b = 0; b < 7; ++b)
    sum += a[(static_cast<std::int64_t>(b) * m.points + p) * 25 + thread] * x[neighbour(m, s, b).p * 5 + thread / 5];
  sums[thread] = sum;
  __syncthreads();
  if (thread < 5)
    y[p * 5 + thread] = sums[thread] + sums[thread + 5] + sums[thread + 10] + sums[thread + 15] + sums[thread + 20];
}

// Five points along x per block of threads. Of x it loads the row with one more point on both sides, and the rows at y
// +- 1 and z +- 1. With `ribbon` the block marches through all of z and reuses two of the planes.
template <bool ribbon>
__global__ void __launch_bounds__(128) five_points(Medium m, const double* a, const double* x, double* y) {
  __shared__ double row[35], south[25], north[25], below[25], above[25], sums[125];
  const int thread = static_cast<int>(threadIdx.x), i0 = static_cast<int>(blockIdx.x) * 5,
            j = static_cast<int>(blockIdx.y);
  const int count = min(5, m.extent[0] - i0);  // points of the last piece of a row
  const int local = thread / 25, entry = thread % 25;
  const int jm = j == 0 ? m.extent[1] - 1 : j - 1, jp = j == m.extent[1] - 1 ? 0 : j + 1;
  const int first = ribbon ? 0 : static_cast<int>(blockIdx.z), last = ribbon ? m.extent[2] : first + 1;
  const auto index = [&](int i, int jj, int k) { return (k * m.extent[1] + jj) * m.extent[0] + i; };
  const auto value = [&](int t, int jj, int k) { return t < 5 * count ? x[index(i0, jj, k) * 5 + t] : 0.0; };
  for (int k = first; k < last; ++k) {
    const int km = k == 0 ? m.extent[2] - 1 : k - 1, kp = k == m.extent[2] - 1 ? 0 : k + 1;
    if (thread < 25) {
      if (k == first) {
        below[thread] = value(thread, j, km);
        row[5 + thread] = value(thread, j, k);
      } else {
        below[thread] = row[5 + thread];
        row[5 + thread] = above[thread];
      }
      above[thread] = value(thread, j, kp);
    } else if (thread >= 32 && thread < 57) {
      south[thread - 32] = value(thread - 32, jm, k);
    } else if (thread >= 64 && thread < 89) {
      north[thread - 64] = value(thread - 64, jp, k);
    }
    __syncthreads();
    if (thread < 5) {
      row[thread] = x[index(i0 == 0 ? m.extent[0] - 1 : i0 - 1, j, k) * 5 + thread];
      row[5 + 5 * count + thread] = x[index(i0 + count == m.extent[0] ? 0 : i0 + count, j, k) * 5 + thread];
    }
    __syncthreads();
    if (local < count) {
      const int c = entry / 5, at = local * 5 + c;
      const double* const own = a + static_cast<std::int64_t>(index(i0 + local, j, k)) * 25 + entry;
      const std::int64_t block = static_cast<std::int64_t>(m.points) * 25;
      sums[thread] = own[0] * row[5 + at] + own[block] * row[at] + own[2 * block] * row[10 + at] +
                     own[3 * block] * south[at] + own[4 * block] * north[at] + own[5 * block] * below[at] +
                     own[6 * block] * above[at];
    }
    __syncthreads();
    if (thread < 5 * count) {
      const double* const s = sums + thread / 5 * 25 + thread % 5;
      y[index(i0, j, k) * 5 + thread] = s[0] + s[5] + s[10] + s[15] + s[20];
    }
    __syncthreads();
  }
}

__global__ void __launch_bounds__(128) make_specific(Medium m, const double* q_, double* w) {
  const int p = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  if (p >= m.points) return;
  double q[5];
  for (int c = 0; c < 5; ++c) q[c] = q_[c * m.stride + p];
  store(specific(q), w, m.stride, p);
}
__global__ void __launch_bounds__(128) make_faces(Medium m, const double* q, const double* w, double* strength) {
  const int p = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  if (p >= m.points) return;
  for (int d = 0; d < 3; ++d) strength[d * m.stride + p] = face_strength(m, Flow{&m, q, w}, site_of(m, p), d);
}
__global__ void __launch_bounds__(128)
    make_blocks(Medium m, Weights weights, const double* q, const double* w, const double* strength, double* a) {
  const int p = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  if (p >= m.points) return;
  assemble(m, weights, Flow{&m, q, w}, strength, site_of(m, p), [&](int e, double value) {
    const int b = e / 25, row = e / 5 % 5, column = e % 5;
    a[((static_cast<std::int64_t>(b) * m.points + p) * 5 + column) * 5 + row] = value;
  });
}

// The first stage of a reduction; the host does the second.
__global__ void __launch_bounds__(threads) partial_dots(const double* a, const double* b, int n, double* partial) {
  numerics::Terms<1> sum;
  for (int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x) * threads)
    sum[0] += a[i] * b[i];
  const auto total = numerics::block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = total[0];
}
__global__ void __launch_bounds__(threads)
    direction(const double* r, const double* v, double* p, double beta, double omega, int n) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i < n) p[i] = r[i] + beta * (p[i] - omega * v[i]);
}
__global__ void __launch_bounds__(threads) subtract(double* r, const double* v, double factor, int n) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i < n) r[i] -= factor * v[i];
}
__global__ void __launch_bounds__(threads)
    last_of_iteration(double* x, double* r, const double* p, const double* t, double alpha, double omega, int n) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  x[i] += alpha * p[i] + omega * r[i];
  r[i] -= omega * t[i];
}

}  // namespace

struct ArticleSolver::Parts {
  Problem problem;
  PublishedVariant variant;
  Medium m;
  int host_threads, values;
  double time = 0;
  std::int64_t step = 0;
  std::vector<double> w, variables;  // variables: the right-hand side, one variable after the other
  core::PinnedBuffer<double> q, b, change, sums;
  core::DeviceBuffer<double> dq, dw, strength, a, x, r, shadow, p, v, t, partial;
  Seconds spent;

  Parts(const Problem& chosen, PublishedVariant kind, int wanted)
      : problem(chosen),
        variant(kind),
        m(medium_of(chosen)),
        host_threads(core::resolve_threads(wanted)),
        values(5 * m.points),
        w(5 * static_cast<std::size_t>(m.stride)),
        variables(w.size()) {
    require_device_bytes(problem.extents, article_bytes(problem.extents));
    const auto flat = static_cast<std::size_t>(values), strided = w.size();
    q = core::PinnedBuffer<double>(strided);
    for (auto* buffer : {&b, &change}) *buffer = core::PinnedBuffer<double>(flat);
    sums = core::PinnedBuffer<double>(max_sums);
    for (auto* buffer : {&dq, &dw}) *buffer = core::DeviceBuffer<double>(strided);
    strength = core::DeviceBuffer<double>(3 * static_cast<std::size_t>(m.stride));
    a = core::DeviceBuffer<double>(entries * static_cast<std::size_t>(m.points));
    for (auto* buffer : {&x, &r, &shadow, &p, &v, &t}) *buffer = core::DeviceBuffer<double>(flat);
    partial = core::DeviceBuffer<double>(max_sums);
    std::fill_n(q.data(), q.size(), 1.0);  // only copies read the padding between variables
  }

  void multiply(const double* from, double* to, const core::Stream& stream) {
    const auto pieces = static_cast<unsigned>((m.extent[0] + 4) / 5), rows = static_cast<unsigned>(m.extent[1]),
               planes = static_cast<unsigned>(m.extent[2]);
    switch (variant) {
      case PublishedVariant::one_point:
        one_point<<<static_cast<unsigned>(m.points), 25, 0, stream.get()>>>(m, a.data(), from, to);
        break;
      case PublishedVariant::five_points:
        five_points<false><<<dim3(pieces, rows, planes), 125, 0, stream.get()>>>(m, a.data(), from, to);
        break;
      default:
        five_points<true><<<dim3(pieces, rows), 125, 0, stream.get()>>>(m, a.data(), from, to);
    }
    core::check(cudaGetLastError());
  }
  double dot(const core::DeviceBuffer<double>& one, const core::DeviceBuffer<double>& other,
             const core::Stream& stream) {
    const auto blocks = std::min<unsigned>(grid(), max_sums);
    partial_dots<<<blocks, threads, 0, stream.get()>>>(one.data(), other.data(), values, partial.data());
    core::check(cudaGetLastError());
    core::copy_async(sums.data(), partial.data(), blocks, stream);
    stream.synchronize();
    double sum = 0;
    for (unsigned i = 0; i < blocks; ++i) sum += sums.data()[i];
    return sum;
  }
  unsigned grid() const { return static_cast<unsigned>((values + threads - 1) / threads); }

  /// Computes on the host the state per unit mass, and the time step that it allows.
  double step_in_time() {
    std::vector<double> fastest(static_cast<std::size_t>(m.extent[2]), 0.0);
    const int plane = m.step[2];
#pragma omp parallel for schedule(static) num_threads(host_threads)
    for (int k = 0; k < m.extent[2]; ++k)
      for (int at = k * plane; at < (k + 1) * plane; ++at) {
        double own[5];
        for (int c = 0; c < 5; ++c) own[c] = q.data()[c * m.stride + at];
        const Specific s = specific(own);
        store(s, w.data(), m.stride, at);
        fastest[static_cast<std::size_t>(k)] = std::max(fastest[static_cast<std::size_t>(k)], rate(m, s));
      }
    return m.dt > 0 ? m.dt : m.cfl / *std::max_element(fastest.begin(), fastest.end());
  }
  void left_hand_side(double dt, const core::Stream& stream) {
    const auto blocks = static_cast<unsigned>((m.points + 127) / 128);
    core::copy_async(dq.data(), q.data(), q.size(), stream);
    make_specific<<<blocks, 128, 0, stream.get()>>>(m, dq.data(), dw.data());
    make_faces<<<blocks, 128, 0, stream.get()>>>(m, dq.data(), dw.data(), strength.data());
    make_blocks<<<blocks, 128, 0, stream.get()>>>(m, weights_of(m, dt), dq.data(), dw.data(), strength.data(),
                                                  a.data());
    core::check(cudaGetLastError());
  }
  void make_right_hand_side(double dt) {
    const TileMesh mesh{{m.extent[0], m.extent[1], m.extent[2]}, m.points, m.stride};
    const RightHandSideOfTile* const of_tile = system_kernels(core::best_isa()).right_hand_side;
    const int tiles = (m.points + tile - 1) / tile;
#pragma omp parallel for schedule(static) num_threads(host_threads)
    for (int t = 0; t < tiles; ++t) {
      of_tile(mesh, m, dt, q.data(), w.data(), variables.data(), t);
      for (int at = t * tile; at < std::min(m.points, (t + 1) * tile); ++at)
        for (int c = 0; c < 5; ++c) b.data()[5 * at + c] = variables[static_cast<std::size_t>(c * m.stride + at)];
    }
  }

  /// BiCGSTAB as in Figure 1 of the article.
  StopReason bicgstab(StepRecord& record, const core::Stream& stream) {
    core::copy_async(r.data(), b.data(), b.size(), stream);
    core::copy_async(shadow.data(), r.data(), r.size(), stream);
    for (auto* vector : {&x, &p, &v, &t}) core::fill_bytes_async(*vector, 0, stream);
    double alpha = 1, omega = 1, rho0 = 1, rr = dot(r, r, stream);
    record.right_hand_side = rr;
    StopReason stop_reason = std::isfinite(rr) ? StopReason::done : StopReason::not_admissible;
    while (stop_reason == StopReason::done && rr - problem.max_squared_residual > 0) {
      if (record.iterations == problem.max_iterations) {
        stop_reason = StopReason::iteration_limit;
        break;
      }
      const double rho = dot(r, shadow, stream), beta = rho / rho0 * (alpha / omega);
      direction<<<grid(), threads, 0, stream.get()>>>(r.data(), v.data(), p.data(), beta, omega, values);
      multiply(p.data(), v.data(), stream);
      alpha = rho / dot(shadow, v, stream);
      subtract<<<grid(), threads, 0, stream.get()>>>(r.data(), v.data(), alpha, values);
      multiply(r.data(), t.data(), stream);
      const double tr = dot(t, r, stream), tt = dot(t, t, stream);
      omega = tt > 0 ? tr / tt : 0;
      last_of_iteration<<<grid(), threads, 0, stream.get()>>>(x.data(), r.data(), p.data(), t.data(), alpha, omega,
                                                              values);
      core::check(cudaGetLastError());
      rho0 = rho;
      ++record.iterations;
      rr = dot(r, r, stream);
      if (!std::isfinite(rr) || (rr > problem.max_squared_residual && (rho == 0 || omega == 0)))
        stop_reason = StopReason::breakdown;
    }
    record.residual = rr;
    return stop_reason;
  }
  double true_residual(const core::Stream& stream) {
    multiply(x.data(), t.data(), stream);
    core::copy_async(r.data(), b.data(), b.size(), stream);
    subtract<<<grid(), threads, 0, stream.get()>>>(r.data(), t.data(), 1.0, values);
    core::check(cudaGetLastError());
    return dot(r, r, stream);
  }

  /// Adds the change to the state if all points stay admissible. Returns the first point that would not, or -1.
  std::int64_t commit(StepRecord& record, const core::Stream& stream) {
    record.change = std::sqrt(dot(x, x, stream));
    core::copy_async(change.data(), x.data(), x.size(), stream);
    stream.synchronize();
    int first = m.points;
#pragma omp parallel for schedule(static) num_threads(host_threads) reduction(min : first)
    for (int at = 0; at < m.points; ++at) {
      double own[5];
      for (int c = 0; c < 5; ++c) own[c] = q.data()[c * m.stride + at] + change.data()[5 * at + c];
      const double pressure = own[4] - 0.5 * (own[1] * own[1] + own[2] * own[2] + own[3] * own[3]) / own[0];
      if (!(own[0] > 0 && pressure > 0 && std::isfinite(own[0]) && std::isfinite(pressure)))
        first = std::min(first, at);
    }
    if (first < m.points) return first;
#pragma omp parallel for schedule(static) num_threads(host_threads)
    for (int at = 0; at < m.points; ++at)
      for (int c = 0; c < 5; ++c) q.data()[c * m.stride + at] += change.data()[5 * at + c];
    return -1;
  }
};

ArticleSolver::ArticleSolver(const Problem& problem, PublishedVariant variant, int host_threads, const core::Stream&) {
  require_valid(problem);
  if (variant == PublishedVariant::none)
    throw std::invalid_argument("blast_wave: PublishedVariant::none has no solver");
  parts_ = std::make_unique<Parts>(problem, variant, host_threads);
}

void ArticleSolver::set(const State& state) {
  Parts& s = *parts_;
  require_admissible(s.problem, state);
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  for (std::size_t c = 0; c < 5; ++c) std::copy_n(state.q.data() + c * n, n, s.q.data() + c * stride);
  s.time = state.time;
  s.step = state.step;
}

void ArticleSolver::get(State& state) const {
  const Parts& s = *parts_;
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  state.extents = s.problem.extents;
  state.q.resize(5 * n);
  for (std::size_t c = 0; c < 5; ++c) std::copy_n(s.q.data() + c * stride, n, state.q.data() + c * n);
  state.time = s.time;
  state.step = s.step;
}

History ArticleSolver::run(int steps_wanted, const core::Stream& stream) {
  Parts& s = *parts_;
  s.spent = {};
  History history;
  for (int step = 0; step < steps_wanted && history.stop_reason == StopReason::done; ++step) {
    StepRecord record;
    record.dt = s.step_in_time();
    auto began = Clock::now();
    s.left_hand_side(record.dt, stream);
    if (s.variant != PublishedVariant::concurrent) stream.synchronize();
    s.spent.blocks += seconds_since(began);
    began = Clock::now();
    s.make_right_hand_side(record.dt);
    s.spent.right_hand_side += seconds_since(began);
    began = Clock::now();
    history.stop_reason = s.bicgstab(record, stream);
    s.spent.bicgstab += seconds_since(began);
    record.true_residual = s.true_residual(stream);
    if (history.stop_reason == StopReason::done) {
      history.point = s.commit(record, stream);
      if (history.point >= 0) {
        history.stop_reason = StopReason::not_admissible;
        double own[5];
        for (int c = 0; c < 5; ++c)
          own[c] = s.q.data()[c * s.m.stride + history.point] + s.change.data()[5 * history.point + c];
        history.density = own[0];
        history.pressure = pressure_of(s.problem.gas, own);
      } else {
        s.time += record.dt;
        ++s.step;
      }
    }
    history.steps.push_back(record);
  }
  return history;
}

ArticleSolver::Seconds ArticleSolver::seconds() const { return parts_->spent; }

}  // namespace speedwell::blast_wave

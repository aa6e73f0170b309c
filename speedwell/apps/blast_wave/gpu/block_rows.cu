#include <climits>
#include <cstring>

#include "speedwell/apps/blast_wave/gpu/memory.hpp"
#include "speedwell/apps/blast_wave/gpu_block_rows.hpp"
#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/point.hpp"

namespace speedwell::blast_wave {
namespace {

constexpr int threads = 128;
constexpr int row_blocks = GpuBlockRows::blocks_of_row;

struct Report {
  unsigned long long rate_bits;  // bits of the largest rate: positive doubles are ordered as their bits are
  int bad_point;                 // INT_MAX: none
};

__device__ int own_point() { return static_cast<int>(blockIdx.x * threads + threadIdx.x); }

/// The order of a point's seven blocks in its row: by increasing column.
struct Order {
  int column[row_blocks], rank[row_blocks];
  __device__ Order(const Medium& m, Site s) {
    for (int b = 0; b < row_blocks; ++b) column[b] = b == 0 ? s.p : moved(m, s, (b - 1) / 2, b % 2 == 1 ? -1 : 1).p;
    for (int b = 0; b < row_blocks; ++b) {
      rank[b] = 0;
      for (int other = 0; other < row_blocks; ++other) rank[b] += column[other] < column[b];
    }
  }
};

__global__ void __launch_bounds__(threads) pattern(Medium m, int* offsets, int* columns) {
  const int p = own_point();
  if (p == 0) offsets[m.points] = row_blocks * m.points;
  if (p >= m.points) return;
  offsets[p] = row_blocks * p;
  const Order order(m, site_of(m, p));
  for (int b = 0; b < row_blocks; ++b) columns[row_blocks * p + order.rank[b]] = order.column[b];
}

__global__ void __launch_bounds__(threads) specifics(Medium m, const double* q_, double* w, Report* report) {
  const int p = own_point();
  double fastest = 0;
  if (p < m.points) {
    double q[5];
    for (int c = 0; c < 5; ++c) q[c] = q_[c * m.stride + p];
    const Specific s = specific(q);
    store(s, w, m.stride, p);
    fastest = rate(m, s);
  }
  for (int distance = 16; distance > 0; distance /= 2) fastest = fmax(fastest, __shfl_xor_sync(~0u, fastest, distance));
  if (threadIdx.x % 32 == 0)
    atomicMax(&report->rate_bits, static_cast<unsigned long long>(__double_as_longlong(fastest)));
}

__global__ void __launch_bounds__(threads) faces(Medium m, const double* q, const double* w, double* strength) {
  const int p = own_point();
  if (p >= m.points) return;
  for (int d = 0; d < 3; ++d) strength[d * m.stride + p] = face_strength(m, Flow{&m, q, w}, site_of(m, p), d);
}

__global__ void __launch_bounds__(threads)
    system(Medium m, double dt, const double* q, const double* w, const double* strength, double* values, double* b) {
  const int p = own_point();
  if (p >= m.points) return;
  const Site s = site_of(m, p);
  const Flow flow{&m, q, w};
  right_hand_side(m, flow, s, dt, b + 5 * static_cast<std::int64_t>(p));
  const Order order(m, s);
  double* const row = values + static_cast<std::int64_t>(p) * row_blocks * 25;
  assemble(m, weights_of(m, dt), flow, strength, s,
           [&](int entry, double value) { row[order.rank[entry / 25] * 25 + entry % 25] = value; });
}

__global__ void __launch_bounds__(threads)
    find_inadmissible(Medium m, const double* q_, const double* x, Report* report) {
  const int p = own_point();
  if (p >= m.points) return;
  double q[5];
  for (int c = 0; c < 5; ++c) q[c] = q_[c * m.stride + p] + x[5 * p + c];
  const double pressure = q[4] - 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
  if (!(q[0] > 0 && pressure > 0 && isfinite(q[0]) && isfinite(pressure))) atomicMin(&report->bad_point, p);
}

__global__ void __launch_bounds__(threads) add(Medium m, double* q, const double* x) {
  const int p = own_point();
  if (p >= m.points) return;
  for (int c = 0; c < 5; ++c) q[c * m.stride + p] += x[5 * p + c];
}

}  // namespace

struct GpuBlockRows::Parts {
  Problem problem;
  Medium m;
  core::DeviceBuffer<double> q, w, strength, values, b;
  core::DeviceBuffer<int> offsets, columns;
  core::DeviceBuffer<Report> report;
  double time = 0;
  std::int64_t step = 0;

  Parts(const Problem& chosen, const core::Stream& stream) : problem(chosen), m(medium_of(chosen)) {
    require_device_bytes(problem.extents, article_bytes(problem.extents));
    const auto stride = static_cast<std::size_t>(m.stride), points = static_cast<std::size_t>(m.points);
    for (auto* buffer : {&q, &w}) *buffer = core::DeviceBuffer<double>(5 * stride);
    strength = core::DeviceBuffer<double>(3 * stride);
    values = core::DeviceBuffer<double>(entries * points);
    b = core::DeviceBuffer<double>(5 * points);
    offsets = core::DeviceBuffer<int>(points + 1);
    columns = core::DeviceBuffer<int>(row_blocks * points);
    report = core::DeviceBuffer<Report>(1);
    pattern<<<grid(), threads, 0, stream.get()>>>(m, offsets.data(), columns.data());
    core::check(cudaGetLastError());
    stream.synchronize();
  }
  unsigned grid() const { return static_cast<unsigned>((m.points + threads - 1) / threads); }
  void clear(const core::Stream& stream) {
    const Report none{0, INT_MAX};
    core::copy_async(report.data(), &none, 1, stream);
  }
  Report reported(const core::Stream& stream) const {
    Report r;
    core::copy_async(&r, report.data(), 1, stream);
    stream.synchronize();
    return r;
  }
};

GpuBlockRows::GpuBlockRows(const Problem& problem, const core::Stream& stream) {
  require_valid(problem);
  parts_ = std::make_unique<Parts>(problem, stream);
}

void GpuBlockRows::set(const State& state, const core::Stream& stream) {
  Parts& s = *parts_;
  require_admissible(s.problem, state);
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  for (std::size_t c = 0; c < 5; ++c) core::copy_async(s.q.data() + c * stride, state.q.data() + c * n, n, stream);
  stream.synchronize();
  s.time = state.time;
  s.step = state.step;
}

void GpuBlockRows::get(State& state, const core::Stream& stream) const {
  const Parts& s = *parts_;
  const auto n = static_cast<std::size_t>(s.m.points), stride = static_cast<std::size_t>(s.m.stride);
  state.extents = s.problem.extents;
  state.q.resize(5 * n);
  for (std::size_t c = 0; c < 5; ++c) core::copy_async(state.q.data() + c * n, s.q.data() + c * stride, n, stream);
  stream.synchronize();
  state.time = s.time;
  state.step = s.step;
}

double GpuBlockRows::begin(const core::Stream& stream) {
  Parts& s = *parts_;
  s.clear(stream);
  specifics<<<s.grid(), threads, 0, stream.get()>>>(s.m, s.q.data(), s.w.data(), s.report.data());
  faces<<<s.grid(), threads, 0, stream.get()>>>(s.m, s.q.data(), s.w.data(), s.strength.data());
  core::check(cudaGetLastError());
  double fastest = 0;
  const unsigned long long bits = s.reported(stream).rate_bits;
  static_assert(sizeof fastest == sizeof bits);
  std::memcpy(&fastest, &bits, sizeof bits);
  const double dt = s.m.dt > 0 ? s.m.dt : s.m.cfl / fastest;
  system<<<s.grid(), threads, 0, stream.get()>>>(s.m, dt, s.q.data(), s.w.data(), s.strength.data(), s.values.data(),
                                                 s.b.data());
  core::check(cudaGetLastError());
  return dt;
}

std::int64_t GpuBlockRows::commit(const double* x, double dt, const core::Stream& stream) {
  Parts& s = *parts_;
  s.clear(stream);
  find_inadmissible<<<s.grid(), threads, 0, stream.get()>>>(s.m, s.q.data(), x, s.report.data());
  core::check(cudaGetLastError());
  if (const int bad = s.reported(stream).bad_point; bad != INT_MAX) return bad;
  add<<<s.grid(), threads, 0, stream.get()>>>(s.m, s.q.data(), x);
  core::check(cudaGetLastError());
  s.time += dt;
  ++s.step;
  return -1;
}

int GpuBlockRows::rows() const { return parts_->m.points; }
const int* GpuBlockRows::offsets() const { return parts_->offsets.data(); }
const int* GpuBlockRows::columns() const { return parts_->columns.data(); }
const double* GpuBlockRows::values() const { return parts_->values.data(); }
const double* GpuBlockRows::right_hand_side() const { return parts_->b.data(); }

}  // namespace speedwell::blast_wave

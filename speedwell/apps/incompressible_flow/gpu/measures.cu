
#include "speedwell/apps/incompressible_flow/gpu/cell_statistics.hpp"
#include "speedwell/apps/incompressible_flow/gpu/measures.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

// Non-negative numbers are ordered as their bits are, and NaNs come after all of them.
__device__ void raise(double* to, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(__double_as_longlong(value)));
}

template <class T>
struct Fields3 {
  const T* u[3];
};

struct Goals {
  double velocity[3];
  bool kept[3];

  explicit Goals(const std::array<std::optional<double>, 3>& bulk)
      : velocity{bulk[0].value_or(0), bulk[1].value_or(0), bulk[2].value_or(0)},
        kept{bulk[0].has_value(), bulk[1].has_value(), bulk[2].has_value()} {}
};

/// The integrals of the velocities that are kept, and their volumes.
template <class T>
struct BulkTerms {
  Shape s;
  MeshMetrics<T> m;
  Fields3<T> field;
  Goals goals;
  __device__ void operator()(int i, int j, int k, numerics::Terms<6>& sum) const {
    const int index[] = {i, j, k};
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      if (!goals.kept[c]) continue;
      double around = 1;
      for (int d = 0; d < 3; ++d)
        around *= d == c ? 1 / static_cast<double>(m.axis[d].inverse_distance[index[d]])
                         : static_cast<double>(m.axis[d].width[index[d]]);
      sum[c] += around * static_cast<double>(field.u[c][i + j * s.row + k * s.plane]);
      sum[3 + c] += around;
    }
  }
};
struct BulkChange {
  Goals goals;
  bool first;
  StepValues* values;
  template <class Sums>
  __device__ void operator()(const Sums& sum) const {
    for (int c = 0; c < 3; ++c) {
      const double change = goals.kept[c] ? goals.velocity[c] - sum[c] / sum[3 + c] : 0;
      values->bulk_change[c] = change;
      values->bulk_force[c] = (first ? 0 : values->bulk_force[c]) + change / values->dt;
    }
  }
};

template <class T>
__global__ void __launch_bounds__(cells_x* cells_y)
    rate_kernel(Shape s, int planes, MeshMetrics<T> m, Fields3<T> field, double* largest) {
  const int i = static_cast<int>(blockIdx.x) * cells_x + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * cells_y + static_cast<int>(threadIdx.y);
  if (i >= s.n[0] || j >= s.n[1]) return;
  const int first = static_cast<int>(blockIdx.z) * planes, last = min(first + planes, s.n[2]);
  T max_rate = 0;
  bool finite = true;
  for (int k = first; k < last; ++k) {
    const std::int64_t at = i + j * s.row + k * s.plane;
    const std::int64_t step[] = {1, s.row, s.plane};
    const int index[] = {i, j, k};
    T rate = 0;
    for (int c = 0; c < 3; ++c) {
      const T own = fabs(field.u[c][at]), before = fabs(field.u[c][at - step[c]]);
      rate += (own > before ? own : before) * m.axis[c].inverse_width[index[c]];
      finite = finite && isfinite(own);
    }
    max_rate = rate > max_rate ? rate : max_rate;
  }
  raise(largest, finite ? static_cast<double>(max_rate) : nan(""));
}

}  // namespace

template <class T>
double convection_rate(const Shape& s, const MeshMetrics<T>& metrics, const T* const (&u)[3],
                       core::DeviceBuffer<double>& workspace, const core::Stream& stream) {
  constexpr int planes = 32;
  core::fill_bytes_async(workspace, 0, stream);
  rate_kernel<<<dim3(static_cast<unsigned>(core::blocks_for(s.n[0], cells_x)),
                     static_cast<unsigned>(core::blocks_for(s.n[1], cells_y)),
                     static_cast<unsigned>(core::blocks_for(s.n[2], planes))),
                dim3(cells_x, cells_y), 0, stream.get()>>>(s, planes, metrics, Fields3<T>{{u[0], u[1], u[2]}},
                                                           workspace.data());
  core::check(cudaGetLastError());
  double rate = 0;
  core::copy_async(&rate, std::as_const(workspace).data(), 1, stream);
  stream.synchronize();
  return rate;
}

template <class T>
std::array<double, statistics_sums> integrals(Cells& cells, const Shape& s, const MeshMetrics<T>& m,
                                              const T* const (&u)[3], const T* const (&wall_drag)[3], Largest& largest,
                                              core::DeviceBuffer<double>& workspace, const core::Stream& stream) {
  const Fields3<T> field{{u[0], u[1], u[2]}}, held{{wall_drag[0], wall_drag[1], wall_drag[2]}};
  double *const to = cells.sums(), *const maxima = workspace.data();
  core::fill_bytes_async(workspace, 0, stream);
  cells.add_up<statistics_sums>(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<statistics_sums>& terms) {
        const T* const at[] = {field.u[0] + i + j * s.row + k * s.plane, field.u[1] + i + j * s.row + k * s.plane,
                               field.u[2] + i + j * s.row + k * s.plane};
        const auto velocity = [&](int c, int di, int dj, int dk) {
          return static_cast<double>(at[c][di + dj * s.row + dk * s.plane]);
        };
        const auto wall_drag_at = [&](int c) {
          return held.u[c] ? static_cast<double>(held.u[c][s.cell(i, j, k)]) : 0.0;
        };
        const bool closed[3][2] = {{s.is_closed(0, 0), s.is_closed(0, 1)},
                                   {s.is_closed(1, 0), s.is_closed(1, 1)},
                                   {s.is_closed(2, 0), s.is_closed(2, 1)}};
        Largest here;
        add_statistics({i, j, k}, s.n, closed, m, velocity, wall_drag_at, terms, here);
        if (here.divergence > maxima[0]) raise(maxima, here.divergence);
        if (here.fastest > maxima[1]) raise(maxima + 1, here.fastest);
      },
      [=] __device__(const numerics::Terms<statistics_sums>& total) {
        for (int c = 0; c < statistics_sums; ++c) to[c] = total[c];
      },
      stream);
  std::array<double, statistics_sums> sums{};
  core::copy_async(sums.data(), static_cast<const double*>(to), sums.size(), stream);
  double both[2] = {};
  core::copy_async(both, static_cast<const double*>(maxima), 2, stream);
  stream.synchronize();
  largest = {both[0], both[1]};
  return sums;
}

template <class T>
VelocityChange velocity_change(Cells& cells, const Shape& s, const T* const (&before)[3], const T* const (&u)[3],
                               core::DeviceBuffer<double>& workspace, const core::Stream& stream) {
  const Fields3<T> old{{before[0], before[1], before[2]}}, field{{u[0], u[1], u[2]}};
  double* const maxima = workspace.data();
  core::fill_bytes_async(workspace, 0, stream);
  cells.for_each(
      nullptr,
      [=] __device__(int i, int j, int k, numerics::Terms<1>&) {
        const std::int64_t at = i + j * s.row + k * s.plane;
        for (int c = 0; c < 3; ++c) {
          const double now = field.u[c][at], change = fabs(now - static_cast<double>(old.u[c][at]));
          if (!isfinite(now)) {
            raise(maxima, nan(""));
            raise(maxima + 1, nan(""));
          }
          if (change > maxima[0]) raise(maxima, change);
          if (fabs(now) > maxima[1]) raise(maxima + 1, fabs(now));
        }
      },
      stream);
  double both[2] = {};
  core::copy_async(both, static_cast<const double*>(maxima), 2, stream);
  stream.synchronize();
  return {both[0], both[1]};
}

template <class T>
void enqueue_bulk_change(Cells& cells, const Shape& s, const MeshMetrics<T>& m, const T* const (&u)[3],
                         const std::array<std::optional<double>, 3>& bulk, bool first, StepValues* values,
                         const core::Stream& stream, const RankSums* ranks) {
  const BulkTerms<T> terms{s, m, {{u[0], u[1], u[2]}}, Goals(bulk)};
  const BulkChange change{Goals(bulk), first, values};
  ranks ? ranks->add_up<6>(cells, terms, change, stream) : cells.add_up<6>(nullptr, terms, change, stream);
}

#define SPEEDWELL_MEASURES(T)                                                                                  \
  template double convection_rate(const Shape&, const MeshMetrics<T>&, const T* const(&)[3],                   \
                                  core::DeviceBuffer<double>&, const core::Stream&);                           \
  template std::array<double, statistics_sums> integrals(Cells&, const Shape&, const MeshMetrics<T>&,          \
                                                         const T* const(&)[3], const T* const(&)[3], Largest&, \
                                                         core::DeviceBuffer<double>&, const core::Stream&);    \
  template VelocityChange velocity_change(Cells&, const Shape&, const T* const(&)[3], const T* const(&)[3],    \
                                          core::DeviceBuffer<double>&, const core::Stream&);                   \
  template void enqueue_bulk_change(Cells&, const Shape&, const MeshMetrics<T>&, const T* const(&)[3],         \
                                    const std::array<std::optional<double>, 3>&, bool, StepValues*,            \
                                    const core::Stream&, const RankSums*);
SPEEDWELL_MEASURES(float)
SPEEDWELL_MEASURES(double)
#undef SPEEDWELL_MEASURES

}  // namespace speedwell::incompressible_flow::gpu

// Momentum of all three components in one pass over memory. Threads march along z; values of neighbours come from the
// first-level cache, in which the three planes of a block stay.
#include <algorithm>

#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads_x = 32, threads_y = 8;
// Blocks per multiprocessor. On an H200 two took less time than three for 512^3 cells in double precision, and three
// less than two for 256^3 in single. Four rows of threads instead of eight are no faster.
template <class T>
constexpr int min_blocks = sizeof(T) == 8 ? 2 : 3;

/// A field relative to one cell.
template <class T>
struct Around {
  const T* cell;
  std::int64_t row, plane;
  __device__ __forceinline__ T operator()(int i, int j, int k) const { return __ldg(cell + i + j * row + k * plane); }
};

/// The metrics of an axis that the momentum of a cell needs, from the previous cell to the next.
template <class T>
struct Window {
  T value[3];
  __device__ __forceinline__ T operator[](int i) const { return value[i + 1]; }
};
template <class T>
struct AxisAround {
  Window<T> width, inverse_width, inverse_distance;
};
template <class T>
struct MeshAround {
  AxisAround<T> axis[3];
};
template <class T>
__device__ __forceinline__ Window<T> window(const T* at) {
  return {{__ldg(at - 1), __ldg(at), __ldg(at + 1)}};
}
template <class T>
__device__ __forceinline__ AxisAround<T> around(const AxisMetrics<T>& m, int i) {
  return {window(m.width + i), window(m.inverse_width + i), window(m.inverse_distance + i)};
}

enum class Kind { plain, solids, strained };

/// One component: the flux from the previous plane, and the step. Returns the new velocity.
template <int C, bool Before, bool Keeps, Kind kind, class T>
__device__ __forceinline__ T advance(const Momentum<T>& m, const MeshAround<T>& mesh, const Around<T>& u,
                                     const Around<T>& v, const Around<T>& w, std::int64_t at, std::int64_t cell,
                                     bool open, T now, T before, T acceleration, T& from_below) {
  constexpr CellPosition here = {0, 0, 0};
  const T upwards = flux<C, 2>(mesh, m.viscosity, u, v, w, here);
  T rate = inflow<C, 0>(mesh, m.viscosity, u, v, w, here) + inflow<C, 1>(mesh, m.viscosity, u, v, w, here) +
           inverse_depth<C, 2>(mesh, here) * (from_below - upwards) + acceleration;
  from_below = upwards;
  if constexpr (kind == Kind::solids) {
    const T wall_drag = __ldg(m.wall_drag[C] + cell);
    rate -= m.viscosity * wall_drag * component<C>(u, v, w, here);
    open = open && wall_drag >= T(0);
  }
  T result = __ldg(m.base[C] + at) + now * rate;
  // Rates are not used by neighbours: streaming loads keep them from evicting velocities.
  if constexpr (Before) result += before * __ldcs(m.rate[C] + at);
  if constexpr (kind == Kind::strained) {
    const T shrink = static_cast<T>(m.values->shrink[m.part][C]);
    result *= shrink;
    rate *= shrink;
    if (m.start[C]) m.start[C][at] *= shrink;
  }
  if constexpr (Keeps) __stcs(m.rate[C] + at, rate);
  if (!open) result = T(0);
  m.next[C][at] = result;
  return result;
}

/// Planes first … last - 1 of column (i, j). `offset`: what loads add to their addresses.
template <class T, bool Before, bool Keeps, Kind kind, bool Slab>
__device__ __forceinline__ void march(const Momentum<T>& m, int i, int j, int first, int last, int offset) {
  const double dt = m.values->dt;
  const T now = static_cast<T>(m.now * dt), before = static_cast<T>(m.before * dt);
  const T gx = static_cast<T>(m.values->acceleration[0]), gy = static_cast<T>(m.values->acceleration[1]),
          gz = static_cast<T>(m.values->acceleration[2]);
  const bool open_x = m.shape.periodic[0] || i < m.shape.n[0] - 1;
  const bool open_y = m.shape.periodic[1] || j < m.shape.n[1] - 1;
  MeshAround<T> mesh;
  mesh.axis[0] = around(m.metrics.axis[0], i);
  mesh.axis[1] = around(m.metrics.axis[1], j);
  mesh.axis[2] = around(m.metrics.axis[2], first);
  std::int64_t at = i + j * m.shape.row + first * m.shape.plane + offset, cell = m.shape.cell(i, j, first);
  const std::int64_t cells_of_plane = m.shape.cell(0, 0, 1);
  const auto seen = [&](int c) { return Around<T>{m.u[c] + at, m.shape.row, m.shape.plane}; };
  constexpr CellPosition below = {0, 0, -1};
  T from_below[3] = {flux<0, 2>(mesh, m.viscosity, seen(0), seen(1), seen(2), below),
                     flux<1, 2>(mesh, m.viscosity, seen(0), seen(1), seen(2), below),
                     flux<2, 2>(mesh, m.viscosity, seen(0), seen(1), seen(2), below)};
#pragma unroll 1
  for (int k = first; k < last; ++k, at += m.shape.plane, cell += cells_of_plane) {
    mesh.axis[2] = around(m.metrics.axis[2], k);
    const Around<T> u = seen(0), v = seen(1), w = seen(2);
    advance<0, Before, Keeps, kind>(m, mesh, u, v, w, at, cell, open_x, now, before, gx, from_below[0]);
    advance<1, Before, Keeps, kind>(m, mesh, u, v, w, at, cell, open_y, now, before, gy, from_below[1]);
    const bool open_z = m.shape.periodic[2] || m.shape.other_above || k < m.shape.n[2] - 1;
    const T third = advance<2, Before, Keeps, kind>(m, mesh, u, v, w, at, cell, open_z, now, before, gz, from_below[2]);
    if constexpr (Slab)
      if (k == m.shape.n[2] - 1 && m.shape.other_above) m.neighbors->plane_above[2][i + j * m.shape.row] = third;
  }
}

template <class T, bool Before, bool Keeps, Kind kind, bool Slab>
__global__ void __launch_bounds__(threads_x* threads_y, min_blocks<T>)
    momentum_kernel(const __grid_constant__ Momentum<T> m, int planes) {
  const int i = static_cast<int>(blockIdx.x) * threads_x + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * threads_y + static_cast<int>(threadIdx.y);
  const bool inside = i < m.shape.n[0] && j < m.shape.n[1];
  if constexpr (!Slab) {
    if (!inside) return;
    const int first = static_cast<int>(blockIdx.z) * planes;
    march<T, Before, Keeps, kind, Slab>(m, i, j, first, min(first + planes, m.shape.n[2]), 0);
  } else {
    // The pieces with the first and the last plane come last, when the neighbours' planes have arrived.
    const int pieces = static_cast<int>(gridDim.z), z = static_cast<int>(blockIdx.z);
    const int piece = z < pieces - 2 ? z + 1 : z == pieces - 1 ? z : 0;
    const int first = piece * planes, last = min(first + planes, m.shape.n[2]);
    const bool has_first = piece == 0, has_last = piece == pieces - 1;
    int offset = 0;
    if (has_first || has_last) {
      const SlabNeighbors<T>& n = *m.neighbors;
      offset =
          wait_for_planes(has_first ? n.velocities.from_below : nullptr, has_last ? n.velocities.from_above : nullptr,
                          n.number.get() - 1, n.timed_out, n.waited + 2 * velocity_wait);
    }
    if (inside) march<T, Before, Keeps, kind, Slab>(m, i, j, first, last, offset);
    if (has_last) depart(m.neighbors->third_velocity_above, gridDim.x * gridDim.y, m.neighbors->number.get());
  }
}

}  // namespace

template <class T>
void enqueue(const Momentum<T>& m, const core::Stream& stream) {
  const auto x = static_cast<unsigned>(core::blocks_for(m.shape.n[0], threads_x));
  const auto y = static_cast<unsigned>(core::blocks_for(m.shape.n[1], threads_y));
  // Long marches along z read fewer planes twice; small meshes need more blocks.
  constexpr std::int64_t enough_blocks = 2048;
  const std::int64_t pieces = std::clamp<std::int64_t>(enough_blocks / (std::int64_t{x} * y), 1, m.shape.n[2]);
  const int planes = static_cast<int>(core::blocks_for(m.shape.n[2], static_cast<int>(pieces)));
  const dim3 blocks(x, y, static_cast<unsigned>(core::blocks_for(m.shape.n[2], planes))), threads(threads_x, threads_y);
  const auto kernel = [&]<Kind kind, bool Slab>() {
    if (m.before != 0)
      return m.keeps_rate ? momentum_kernel<T, true, true, kind, Slab> : momentum_kernel<T, true, false, kind, Slab>;
    return m.keeps_rate ? momentum_kernel<T, false, true, kind, Slab> : momentum_kernel<T, false, false, kind, Slab>;
  };
  const auto chosen = [&] {
    if (m.neighbors)
      return m.strained ? kernel.template operator()<Kind::strained, true>()
                        : kernel.template operator()<Kind::plain, true>();
    return m.strained       ? kernel.template operator()<Kind::strained, false>()
           : m.wall_drag[0] ? kernel.template operator()<Kind::solids, false>()
                            : kernel.template operator()<Kind::plain, false>();
  };
  chosen()<<<blocks, threads, 0, stream.get()>>>(m, planes);
  core::check(cudaGetLastError());
}

template <class T>
void enqueue(Momentum<T> m, int begin, int end, const core::Stream& stream) {
  if (begin >= end) return;
  const std::int64_t by = begin * m.shape.plane;
  m.shape = planes_of(m.shape, begin, end);
  move_along_z(m.metrics, begin);
  for (int c = 0; c < 3; ++c) {
    m.u[c] += by;
    m.base[c] += by;
    m.next[c] += by;
    if (m.rate[c]) m.rate[c] += by;
    if (m.start[c]) m.start[c] += by;
  }
  enqueue(m, stream);
}

template void enqueue(Momentum<float>, int, int, const core::Stream&);
template void enqueue(Momentum<double>, int, int, const core::Stream&);
template void enqueue(const Momentum<float>&, const core::Stream&);
template void enqueue(const Momentum<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu

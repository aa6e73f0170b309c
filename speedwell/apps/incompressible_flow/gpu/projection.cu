// The divergence, and the projection of the velocity: one thread per cell. The projection also fills the ghost cells,
// as copies or mirror images of the values that it has computed.
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads_x = 64, threads_y = 4;

/// Slab: the plane above the slab below is that GPU's, which stores it; its blocks come last and wait.
template <class T, bool Slab>
__global__ void divergence_kernel(const __grid_constant__ Divergence<T> d) {
  const int i = static_cast<int>(blockIdx.x) * threads_x + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * threads_y + static_cast<int>(threadIdx.y);
  int k = static_cast<int>(blockIdx.z), offset = 0;
  const Shape& s = d.shape;
  if constexpr (Slab) {
    k = k + 1 < s.n[2] ? k + 1 : 0;
    if (k == 0) {
      const SlabNeighbors<T>& n = *d.neighbors;
      offset = wait_for_planes(n.third_velocity.from_below, nullptr, n.number.get(), n.timed_out,
                               n.waited + 2 * third_velocity_wait);
    }
  }
  if (i >= s.n[0] || j >= s.n[1]) return;
  const std::int64_t at = i + j * s.row + k * s.plane + offset;
  // The face before the first cell is the last one, or another GPU's, or closed.
  const auto before = [&](int axis, int index, std::int64_t step) {
    if (index > 0 || (axis == 2 && s.other_below)) return d.u[axis][at - step];
    return s.periodic[axis] ? d.u[axis][at + (s.n[axis] - 1) * step] : T(0);
  };
  const T factor = static_cast<T>(1 / (d.length * d.values->dt));
  const T divergence = factor * ((d.u[0][at] - before(0, i, 1)) * d.metrics.axis[0].inverse_width[i] +
                                 (d.u[1][at] - before(1, j, s.row)) * d.metrics.axis[1].inverse_width[j] +
                                 (d.u[2][at] - before(2, k, s.plane)) * d.metrics.axis[2].inverse_width[k]);
  d.out[spectral_index(s, i, j, k)] = divergence;
  if (d.by_cell) d.by_cell[s.cell(i, j, k)] = divergence;
}

/// The cells along one axis that get a value: its own and, at the ends, ghost cells.
template <class T>
struct Images {
  int count = 1;
  int at[3];
  T sign[3], constant[3];
};
template <class T>
__device__ __forceinline__ Images<T> images(int i, int n, bool periodic, bool across,
                                            const GhostCoefficients<T>* ghosts, bool other_below = false,
                                            bool other_above = false) {
  Images<T> all;
  all.at[0] = i;
  all.sign[0] = T(1);
  all.constant[0] = T(0);
  const auto add = [&](int at, T sign, T constant) {
    all.at[all.count] = at;
    all.sign[all.count] = sign;
    all.constant[all.count] = constant;
    ++all.count;
  };
  if (periodic) {
    if (i == 0) add(n, T(1), T(0));
    if (i == n - 1) add(-1, T(1), T(0));
  } else if (!across) {  // across a wall the faces in it stay closed
    if (i == 0 && !other_below) add(-1, ghosts[0].sign, ghosts[0].constant);
    if (i == n - 1 && !other_above) add(n, ghosts[1].sign, ghosts[1].constant);
  }
  return all;
}

template <class T, bool Slab>
__device__ __forceinline__ void project(const Projection<T>& p, int i, int j, int k) {
  const Shape& s = p.shape;
  const T step = static_cast<T>(p.length * p.values->dt);
  const auto pressure = [&](int a, int b, int c) {
    return p.pressure[p.by_cell ? s.cell(a, b, c) : spectral_index(s, a, b, c)];
  };
  const T here = pressure(i, j, k);
  const auto next = [](int index, int n) { return index + 1 < n ? index + 1 : 0; };
  const std::int64_t at = i + j * s.row + k * s.plane;
  // Links through walls are 0, whatever the pressure at the other end.
  T value[3] = {
      p.u[0][at] - step * p.metrics.axis[0].link[i] * (pressure(next(i, s.n[0]), j, k) - here),
      p.u[1][at] - step * p.metrics.axis[1].link[j] * (pressure(i, next(j, s.n[1]), k) - here),
      p.u[2][at] - step * p.metrics.axis[2].link[k] * (pressure(i, j, s.other_above ? k + 1 : next(k, s.n[2])) - here)};
  if (p.wall_drag[0])
#pragma unroll
    for (int c = 0; c < 3; ++c)
      if (p.wall_drag[c][s.cell(i, j, k)] < T(0)) value[c] = T(0);
  if (p.keeps_bulk)
#pragma unroll
    for (int c = 0; c < 3; ++c) value[c] += static_cast<T>(p.values->bulk_change[c]);
  const bool inside = i > 0 && i < s.n[0] - 1 && j > 0 && j < s.n[1] - 1 && k > 0 && k < s.n[2] - 1;
  if (inside) {
#pragma unroll
    for (int c = 0; c < 3; ++c) p.u[c][at] = value[c];
    return;
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const Images<T> x = images(i, s.n[0], s.periodic[0], c == 0, p.ghosts[c][0]);
    const Images<T> y = images(j, s.n[1], s.periodic[1], c == 1, p.ghosts[c][1]);
    const Images<T> z = images(k, s.n[2], s.periodic[2], c == 2, p.ghosts[c][2], s.other_below, s.other_above);
    T *to_below = nullptr, *to_above = nullptr;
    if constexpr (Slab) {
      if (k == 0 && s.other_below) to_below = p.neighbors->plane_below[c];
      if (k == s.n[2] - 1 && s.other_above) to_above = p.neighbors->plane_above[c];
    }
    for (int c3 = 0; c3 < z.count; ++c3)
      for (int c2 = 0; c2 < y.count; ++c2)
        for (int c1 = 0; c1 < x.count; ++c1) {
          const T along_x = x.sign[c1] * value[c] + x.constant[c1];
          const T along_y = y.sign[c2] * along_x + y.constant[c2];
          p.u[c][x.at[c1] + y.at[c2] * s.row + z.at[c3] * s.plane] = z.sign[c3] * along_y + z.constant[c3];
          if constexpr (Slab) {
            if (c3 > 0) continue;
            const std::int64_t in_plane = x.at[c1] + y.at[c2] * s.row;
            if (to_below) to_below[in_plane] = along_y;
            if (to_above) to_above[in_plane] = along_y;
          }
        }
  }
}

/// Slab: the blocks with the first and the last plane come first, since the neighbours wait for these.
template <class T, bool Slab>
__global__ void projection_kernel(Projection<T> p) {
  const int i = static_cast<int>(blockIdx.x) * threads_x + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * threads_y + static_cast<int>(threadIdx.y);
  const bool inside = i < p.shape.n[0] && j < p.shape.n[1];
  int k = static_cast<int>(blockIdx.z);
  if constexpr (!Slab) {
    if (inside) project<T, Slab>(p, i, j, k);
  } else {
    const int last = p.shape.n[2] - 1;
    k = k == 0 ? 0 : k == 1 ? last : k - 1;
    if (inside) project<T, Slab>(p, i, j, k);
    const SlabNeighbors<T>& n = *p.neighbors;
    const unsigned blocks = gridDim.x * gridDim.y;
    if (k == 0) depart(n.velocities_below, blocks, n.number.get());
    if (k == last) depart(n.velocities_above, blocks, n.number.get());
  }
}

dim3 blocks_of(const Shape& s) {
  return dim3(static_cast<unsigned>(core::blocks_for(s.n[0], threads_x)),
              static_cast<unsigned>(core::blocks_for(s.n[1], threads_y)), static_cast<unsigned>(s.n[2]));
}

}  // namespace

template <class T>
void enqueue(const Divergence<T>& d, const core::Stream& stream) {
  (d.neighbors ? divergence_kernel<T, true>
               : divergence_kernel<T, false>)<<<blocks_of(d.shape), dim3(threads_x, threads_y), 0, stream.get()>>>(d);
  core::check(cudaGetLastError());
}
template <class T>
void enqueue(const Projection<T>& p, const core::Stream& stream) {
  (p.neighbors ? projection_kernel<T, true>
               : projection_kernel<T, false>)<<<blocks_of(p.shape), dim3(threads_x, threads_y), 0, stream.get()>>>(p);
  core::check(cudaGetLastError());
}

template <class T>
void enqueue(Divergence<T> d, int begin, int end, const core::Stream& stream) {
  if (begin >= end) return;
  for (const T*& u : d.u) u += begin * d.shape.plane;
  d.out += d.shape.cell(0, 0, begin);
  if (d.by_cell) d.by_cell += d.shape.cell(0, 0, begin);
  d.shape = planes_of(d.shape, begin, end);
  move_along_z(d.metrics, begin);
  enqueue(d, stream);
}

template void enqueue(Divergence<float>, int, int, const core::Stream&);
template void enqueue(Divergence<double>, int, int, const core::Stream&);
template void enqueue(const Divergence<float>&, const core::Stream&);
template void enqueue(const Divergence<double>&, const core::Stream&);
template void enqueue(const Projection<float>&, const core::Stream&);
template void enqueue(const Projection<double>&, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu

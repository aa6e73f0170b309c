// An alternative to neighbours through the caches, for a grid that is periodic: blocks march along z, and the planes of
// the expression's first field wait in a ring in shared memory, filled two planes ahead by asynchronous copies. Other
// fields are read through the caches. For the tuning test.
#pragma once

#include <cuda_pipeline.h>

#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"

namespace speedwell::vector_calculus::device {

/// The field that comes first in an expression, and how many there are.
template <class E>
struct Leaves;
template <class T, Place place>
struct Leaves<ScalarLeaf<T, place>> {
  using First = ScalarLeaf<T, place>;
  static constexpr int count = 1;
};
template <class T, Layout layout, Place place>
struct Leaves<VectorLeaf<T, layout, place>> {
  using First = VectorLeaf<T, layout, place>;
  static constexpr int count = 1;
};
template <template <class...> class Node, class A, class... Rest>
struct Leaves<Node<A, Rest...>> {
  using First = typename Leaves<A>::First;
  static constexpr int count = (Leaves<A>::count + ... + Leaves<Rest>::count);
};

template <class E, class T, int rows>
struct Ring {
  using Leaf = typename Leaves<E>::First;
  static constexpr int reach = E::reach, components = Leaf::components, width = 32 + 2 * reach,
                       height = rows + 2 * reach, plane = components * width * height, slots = 2 * reach + 3;
  static constexpr bool together = Leaf::template flat<Layout::aos>;
  static constexpr bool only = Leaves<E>::count == 1;

  SPEEDWELL_POINT static int at(int x, int y, int component) {
    return together ? (y * width + x) * 3 + component : (component * height + y) * width + x;
  }
};

/// A point of which the first field's neighbours are in the ring.
template <class R, class T>
struct RingPoint {
  static constexpr bool sided = false;
  CachedPoint<T, false> cached;
  const T* tiled;
  const T* ring;
  int x, y, slot;

  SPEEDWELL_POINT T staged(Shift s, int component) const {
    int from = slot + s.k;
    from = from < 0 ? from + R::slots : from >= R::slots ? from - R::slots : from;
    return ring[from * R::plane + R::at(x + s.i, y + s.j, component)];
  }
  SPEEDWELL_POINT T load(const T* data, Shift s) const {
    if constexpr (R::components == 1)
      if (R::only || data == tiled) return staged(s, 0);
    return cached.load(data, s);
  }
  template <Layout layout>
  SPEEDWELL_POINT Triple<T> load3(const T* data, Shift s) const {
    if constexpr (R::components == 3)
      if (R::only || data == tiled) return {staged(s, 0), staged(s, 1), staged(s, 2)};
    return cached.template load3<layout>(data, s);
  }
  template <int axis>
  SPEEDWELL_POINT T per_spacing() const {
    return cached.template per_spacing<axis>();
  }
};

template <int rows, class E, class T, class Out>
__global__ void __launch_bounds__(32 * rows)
    ring_kernel(E e, Out out, Frame<T> f, const T* tiled, int planes, unsigned blocks_x, unsigned blocks_y) {
  using R = Ring<E, T, rows>;
  __shared__ T ring[R::slots * R::plane];
  __shared__ T stage[Out::staged ? rows * 96 : 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned bx = blockIdx.x % blocks_x, rest = blockIdx.x / blocks_x, by = rest % blocks_y, bz = rest / blocks_y;
  const int nx = static_cast<int>(f.nx), ny = static_cast<int>(f.ny), nz = static_cast<int>(f.nz);
  const int i0 = static_cast<int>(bx) * 32, j0 = static_cast<int>(by) * rows, j = j0 + warp;
  const int k0 = static_cast<int>(bz) * planes, k1 = k0 + planes < nz ? k0 + planes : nz;
  const int i = i0 + lane < nx ? i0 + lane : nx - 1, count = nx - i0 < 32 ? nx - i0 : 32;
  // What lies beyond a row that is thinner than the tile is filled with something, and not looked at.
  const auto wrapped = [](int at, int n) {
    at = at < 0 ? at + n : at >= n ? at - n : at;
    return at < n ? at : n - 1;
  };
  const auto fill = [&](int k) {
    if (k < k1 + R::reach) {
      T* const slot = ring + (k - k0 + R::reach) % R::slots * R::plane;
      const std::int64_t z = wrapped(k, nz);
      for (int w = threadIdx.x; w < R::plane; w += 32 * rows) {
        const int c = R::together ? w % 3 : w / (R::width * R::height),
                  p = R::together ? w / 3 : w % (R::width * R::height);
        const std::int64_t from =
            (z * ny + wrapped(j0 - R::reach + p / R::width, ny)) * nx + wrapped(i0 - R::reach + p % R::width, nx);
        __pipeline_memcpy_async(slot + w, tiled + (R::together ? 3 * from + c : c * f.points + from), sizeof(T));
      }
    }
    __pipeline_commit();
  };
  for (int k = k0 - R::reach; k <= k0 + R::reach + 1; ++k) fill(k);
  for (int k = k0; k < k1; ++k) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fill(k + R::reach + 2);
    if (j >= ny) continue;
    const std::int64_t first = (static_cast<std::int64_t>(k) * ny + j) * nx + i0;
    const RingPoint<R, T> point{{f, i, j, k},      tiled,           ring,
                                i - i0 + R::reach, warp + R::reach, (k - k0 + R::reach) % R::slots};
    out.set(first, count, f.points, as_pack(e.at(point, Shift{})), stage + (Out::staged ? warp * 96 : 0));
  }
}

/// Enqueues out = e on a periodic grid; `planes` along z for a block.
template <int rows, int components, Layout layout, class E, class T>
void evaluate_by_ring(const E& e, T* out, const Grid& grid, int planes, const core::Stream& stream) {
  using Out = Result<T, components, layout>;
  const T* tiled = nullptr;
  e.visit([&](const auto& leaf) { tiled = tiled ? tiled : leaf.data; });
  const std::int64_t x = core::blocks_for(grid.nx, 32), y = core::blocks_for(grid.ny, rows);
  const unsigned blocks = blocks_of(x * y * core::blocks_for(grid.nz, planes));
  ring_kernel<rows, E, T, Out><<<blocks, 32 * rows, 0, stream.get()>>>(
      e, Out{out}, frame_of<T>(grid), tiled, planes, static_cast<unsigned>(x), static_cast<unsigned>(y));
  core::check(cudaGetLastError());
}

}  // namespace speedwell::vector_calculus::device

// Expressions in device memory: one kernel for each, whatever its number of operations. For CUDA sources only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "speedwell/apps/vector_calculus/gpu/plane_range.hpp"
#include "speedwell/apps/vector_calculus/gpu/points.hpp"

namespace speedwell::vector_calculus::device {

/// Threads per block; a warp computes 32 packs or 32 neighbours along x.
constexpr int block_threads = 256;
// For expressions with neighbours, a block has `rows` along y of a warp each. A thread has `column` points along z, and
// reuses in registers what it has loaded for the previous one.

/// stride: words between the components of a field in three arrays.
template <bool flat, int width, class E, class T, class Out>
__global__ void __launch_bounds__(block_threads) points_kernel(E e, Out out, std::int64_t points, std::int64_t stride) {
  __shared__ alignas(16) T stage[Out::staged && !flat ? block_threads * 3 * width : 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * block_threads + warp * 32) * width;
  if (first >= points) return;
  // A lane after the end computes the last pack again.
  const int count = static_cast<int>(points - first < 32 * width ? points - first : 32 * width);
  const std::int64_t p = first + (lane * width < count ? lane * width : 0);
  if constexpr (flat) {
    const Pack<T, width> v = e.at(FlatPoint<T, width>{p}, Shift{});
    if (lane * width < count) Result<T, 1, Layout::soa>{out.data}.set(first, count, points, v, stage);
  } else {
    out.set(first, count, stride, e.at(PackPoint<T, width>{stride, p}, Shift{}),
            stage + (Out::staged ? warp * 96 * width : 0));
  }
}

/// slab: computes planes [begin, end), which have a halo along z; otherwise all planes of the frame.
template <int rows, int column, bool sided, bool slab, class E, class T, class Out>
__global__ void __launch_bounds__(32 * rows)
    neighbours_kernel(E e, Out out, Frame<T> f, unsigned blocks_x, unsigned blocks_y, int begin, int end) {
  __shared__ T stage[Out::staged ? rows * 96 : 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned bx = blockIdx.x % blocks_x, rest = blockIdx.x / blocks_x, by = rest % blocks_y, bz = rest / blocks_y;
  const int nx = static_cast<int>(f.nx), ny = static_cast<int>(f.ny), last = slab ? end : static_cast<int>(f.nz);
  const int i0 = static_cast<int>(bx) * 32, j = static_cast<int>(by) * rows + warp;
  const int k0 = static_cast<int>(bz) * column + (slab ? begin : 0);
  if (j >= ny) return;
  const int i = min(i0 + lane, nx - 1), count = min(32, nx - i0);
#pragma unroll
  for (int q = 0; q < column; ++q) {
    const int k = k0 + q;
    if (k >= last) break;
    const std::int64_t first = (static_cast<std::int64_t>(k) * ny + j) * nx + i0;
    out.set(first, count, f.points, e.at(CachedPoint<T, sided, slab>{f, i, j, k}, Shift{}),
            stage + (Out::staged ? warp * 96 : 0));
  }
}

/// Adjacent words of a point.
template <class Leaf>
constexpr int adjacent_words = Leaf::components == 3 && Leaf::template flat<Layout::aos> ? 3 : 1;
template <int components, Layout layout>
constexpr int adjacent_words_of_result = components == 3 && layout == Layout::aos ? 3 : 1;

/// The expression of fields that begin at point `first` of those of `e`.
template <class E>
E from_point(E e, std::int64_t first) {
  e.visit([&]<class Leaf>(const Leaf& leaf) { const_cast<Leaf&>(leaf).data += first * adjacent_words<Leaf>; });
  return e;
}

/// Throws if a launch cannot have so many blocks.
inline unsigned blocks_of(std::int64_t blocks) {
  if (blocks > 0x7fffffff)
    throw std::invalid_argument("vector_calculus: " + std::to_string(blocks) +
                                " blocks of threads; a GPU takes at most 2^31 - 1");
  return static_cast<unsigned>(blocks);
}

inline bool aligned_for_packs(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

/// Enqueues out = e for an expression with neighbours.
template <int rows, int column, bool slab, int components, Layout layout, class E, class T>
void launch_neighbours(const E& e, T* out, const PlaneRange<T>& planes, const core::Stream& stream) {
  using Out = Result<T, components, layout>;
  if (planes.begin >= planes.end) return;
  const std::int64_t first = planes.base * planes.plane_points();
  const std::int64_t x = core::blocks_for(planes.frame.nx, 32), y = core::blocks_for(planes.frame.ny, rows);
  const unsigned blocks = blocks_of(x * y * core::blocks_for(planes.end - planes.begin, column));
  const auto kernel = planes.sided ? neighbours_kernel<rows, column, true, slab, E, T, Out>
                                   : neighbours_kernel<rows, column, false, slab, E, T, Out>;
  kernel<<<blocks, 32 * rows, 0, stream.get()>>>(
      from_point(e, first), Out{out + first * adjacent_words_of_result<components, layout>}, planes.frame,
      static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<int>(planes.begin), static_cast<int>(planes.end));
  core::check(cudaGetLastError());
}
template <int rows, int column, int components, Layout layout, class E, class T>
void evaluate_neighbours(const E& e, T* out, const PlaneRange<T>& planes, const core::Stream& stream) {
  planes.has_halo ? launch_neighbours<rows, column, true, components, layout>(e, out, planes, stream)
                  : launch_neighbours<rows, column, false, components, layout>(e, out, planes, stream);
}
template <int rows, int column, int components, Layout layout, class E, class T>
void evaluate_neighbours(const E& e, T* out, const Grid& grid, const core::Stream& stream) {
  launch_neighbours<rows, column, false, components, layout>(e, out, all_planes<T>(grid), stream);
}

/// Enqueues out = e for an expression without neighbours, word by word (flat) or point by point.
template <bool flat, int components, Layout layout, class E, class T>
void evaluate_items(const E& whole, T* to, const PlaneRange<T>& planes, const core::Stream& stream) {
  using Out = Result<T, components, layout>;
  const std::int64_t first = (planes.base + planes.begin) * planes.plane_points(), stride = planes.frame.points;
  const std::int64_t items = flat ? 3 * planes.points() : planes.points();
  const E e = from_point(whole, first);
  T* const out = to + first * adjacent_words_of_result<components, layout>;
  bool aligned = aligned_for_packs(out) && items % widest<T> == 0 && (flat || stride % widest<T> == 0);
  e.visit([&](const auto& leaf) { aligned = aligned && aligned_for_packs(leaf.data); });
  const auto run = [&]<int width>() {
    const unsigned blocks = blocks_of(core::blocks_for(core::blocks_for(items, width), block_threads));
    points_kernel<flat, width, E, T, Out><<<blocks, block_threads, 0, stream.get()>>>(e, Out{out}, items, stride);
  };
  if (items == 0) return;
  if (aligned)
    run.template operator()<widest<T>>();
  else
    run.template operator()<1>();
  core::check(cudaGetLastError());
}
template <int components, Layout layout, class E, class T>
void evaluate_points(const E& e, T* out, const PlaneRange<T>& planes, const core::Stream& stream) {
  if constexpr (E::template flat<layout>) {
    // The words of a part of three arrays are not adjacent.
    if (layout == Layout::aos || planes.points() == planes.frame.points)
      return evaluate_items<true, components, layout>(e, out, planes, stream);
  }
  if constexpr (!E::template flat<Layout::aos> || layout == Layout::soa)
    evaluate_items<false, components, layout>(e, out, planes, stream);
}
template <int components, Layout layout, class E, class T>
void evaluate_points(const E& e, T* out, const Grid& grid, const core::Stream& stream) {
  evaluate_items<E::template flat<layout>, components, layout>(e, out, all_planes<T>(grid), stream);
}

/// Enqueues out = e in the planes: a Grid, which has no slabs' kernels compiled, or a PlaneRange<T>. The arguments have
/// been checked (contract.hpp).
template <int components, Layout layout, class E, class T, class Planes>
void evaluate(const E& e, T* out, const Planes& planes, const core::Stream& stream) {
  // Expressions with neighbours are bound by the second-level cache, from which a block reads all data once: taller
  // blocks are faster the farther the neighbours are. A scalar result of interleaved vectors has the largest ratio of
  // reads to writes. tuning_test.cu times other shapes.
  if constexpr (E::reach > 1)
    evaluate_neighbours<4, 8, components, layout>(e, out, planes, stream);
  else if constexpr (E::reach == 1 && components == 1 && layout == Layout::aos)
    evaluate_neighbours<16, 4, components, layout>(e, out, planes, stream);
  else if constexpr (E::reach == 1)
    evaluate_neighbours<4, 4, components, layout>(e, out, planes, stream);
  else
    evaluate_points<components, layout>(e, out, planes, stream);
}

}  // namespace speedwell::vector_calculus::device

// Row kernels: the product of one row of cells, and the fused operations of conjugate gradients, compiled once per
// instruction set from cpu_rows.cpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::stencil {

/// How far behind the cells in work operands are prefetched, where rows follow each other in memory.
inline constexpr std::int64_t prefetch_bytes = 2048;

/// n cells along x. All pointers refer to the first of them, and none of the operands overlaps `out`.
template <class T>
struct Row {
  T* out = nullptr;
  const T *centre = nullptr, *south = nullptr, *north = nullptr, *below = nullptr, *above = nullptr;
  std::int64_t n = 0;
  T west_end = 0, east_end = 0;                          // outer neighbours of the first and the last cell
  const T* metric_x = nullptr;                           // E; L: widths
  const T* inverse_x = nullptr;                          // L, n + 1
  T metric_y = 0, metric_z = 0;                          // E; L: widths
  T inverse[4] = {};                                     // L: south, north, below, above
  T weight[4] = {};                                      // E0
  T sigma = 0;                                           // L, V
  const T* cell[7] = {};                                 // as in Operator
  const T *face_south = nullptr, *face_below = nullptr;  // V
  T face_west = 0;                                       // V: of the first cell
};

/// Row kernels of one form of the operator.
template <class T>
struct RowKernels {
  /// out = A x on a row. streaming: prefetch operands, and use non-temporal stores, which are weakly ordered until
  /// streaming_fence().
  void (*product)(const Row<T>& row, bool streaming);
  /// out = A x on a row; returns the sum of centre * out in double.
  double (*product_and_dot)(const Row<T>& row);
  /// Returns the sum of centre * A centre in double; does not use out.
  double (*dot)(const Row<T>& row);
  /// x += alpha centre and r -= alpha A centre on a row; returns the sum of r * r in double. Does not use out. The
  /// operands `ahead` cells further are prefetched.
  double (*update)(const Row<T>& row, T alpha, T* x, T* r, std::int64_t ahead);
  /// cached = r + beta p for n cells, with a copy in `out` unless that is null; streaming as in product(), `ahead` as
  /// in update().
  void (*direction)(const T* r, const T* p, T beta, std::int64_t n, T* cached, T* out, bool streaming,
                    std::int64_t ahead);
};

/// Kernels for `isa`, which the processor must support; those of the baseline if the build has no others.
template <class T>
RowKernels<T> row_kernels(core::Isa isa, Form form);

/// Orders the non-temporal stores of this thread before its subsequent stores.
void streaming_fence();

/// Kernel table of an instruction set, indexed by form.
template <class T>
using RowTable = const RowKernels<T>[5];

}  // namespace speedwell::stencil

// The product of one row of cells, and what conjugate gradients do on the way, compiled once for each instruction set
// from cpu_rows.cpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::stencil {

/// n cells along x. All pointers are to the first of them; what they point to does not overlap `out`.
template <class T>
struct Row {
  T* out = nullptr;
  const T *centre = nullptr, *south = nullptr, *north = nullptr, *below = nullptr, *above = nullptr;
  std::int64_t n = 0;
  T west_end = 0, east_end = 0;                          // the neighbours of the first and the last cell
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

/// Kernels of a form for one row.
template <class T>
struct RowKernels {
  /// out = A x on a row. streaming: what lies ahead is asked for early, and stores go past the caches, not ordered with
  /// others before streaming_fence().
  void (*product)(const Row<T>& row, bool streaming);
  /// The same; returns the sum of centre out in double.
  double (*product_and_dot)(const Row<T>& row);
  /// The sum of centre A centre in double; out is not used.
  double (*dot)(const Row<T>& row);
  /// x += alpha centre and r -= alpha A centre on a row; returns the sum of r r in double. out is not used.
  double (*update)(const Row<T>& row, T alpha, T* x, T* r);
  /// near = r + beta p for n cells, and where `out` is not null a copy there, with streaming as in product().
  void (*direction)(const T* r, const T* p, T beta, std::int64_t n, T* near, T* out, bool streaming);
};

/// For `isa`, which this processor must have; the baseline's where the build has no others.
template <class T>
RowKernels<T> row_kernels(core::Isa isa, Form form);

/// Puts streaming stores of this thread before what it stores next.
void streaming_fence();

/// What each instruction set's object has.
template <class T>
using RowTable = const RowKernels<T>[5];

}  // namespace speedwell::stencil

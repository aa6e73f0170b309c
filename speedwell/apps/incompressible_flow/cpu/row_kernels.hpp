// Kernels for rows of cells, compiled for several instruction sets (row_kernels.cpp). Pointers are to cell 0 of the
// row; fields have a layer of ghost cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/incompressible_flow/cpu/momentum.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::incompressible_flow {

/// next = base + now rate + before (rate before) (+ half the diffusion of base and the gradient in `extra`).
template <class T>
struct MomentumRow {
  std::ptrdiff_t row, plane;  // distances between rows, and between planes
  MeshMetrics<T> metrics;     // pointers along y and z are to this row's cell
  int cells;
  int open[3];  // numbers of faces of each component that the box leaves open: all cells, one fewer, or none
  T viscosity;  // 0 unless diffusion is explicit
  T now, before;
  T acceleration[3];
  const T* u[3];
  const T* base[3];
  T* rate[3];  // read if `before` is not 0, then written if keeps_rate
  T* next[3];
  const T* wall_drag[3];  // or null
  bool keeps_rate;
};
/// next += factor nu (diffusion of base) - length dt grad p, of the trapezoidal rule.
template <class T>
struct DiffusionRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int component, open;
  T factor;         // factor of viscosity
  T pressure_step;  // duration of the stage
  const T* u;
  const T* pressure;   // or null
  const T* wall_drag;  // or null
  T* next;
};
/// y = Omega (x - factor L x), returns the sum of x y; faces outside of `open` and closed ones get 0.
template <class T>
struct HelmholtzRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int component, open, cells;
  T factor;
  const T* x;
  const T* wall_drag;
  T* y;
};
template <class T>
struct DivergenceRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int cells;
  T factor;
  const T* u[3];
  T* out;
};
/// u -= step grad p, with the pressures of the same row and of the next ones along y and z.
template <class T>
struct ProjectionRow {
  MeshMetrics<T> metrics;
  int cells;
  T step;
  const T* p[3];  // pressures of this row, of the next along y, of the next along z
  T p_next;       // pressure after the last cell of this row
  T* u[3];
  const T* wall_drag[3];
  int open[3];
};
/// y = A x, A the negative Laplacian times volumes, through open faces; returns the sum of x y.
template <class T>
struct PoissonRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int cells;
  const T* x;
  const T* fluid;  // 1 and 0 by cell, with ghost cells, or null
  T* y;
};
/// Batched tridiagonal systems: `width` adjacent lines from `first` on in planes that are `plane` apart, `n` long.
/// (off[k - 1], diagonal[k] + lambda, off[k]) with rows scaled by inverse widths; off[n - 1] couples the ends of
/// periodic systems.
template <class T>
struct TridiagonalLines {
  int n, width;
  const T* low;   // coefficient of the previous cell; for cell 0 that of the last if the axis is periodic, otherwise 0
  const T* high;  // coefficient of the next cell
  const T* lambda;
  T* x;  // n rows of `pitch`: right-hand sides, then solutions
  T* c;  // n rows of `pitch`
  T* q;  // the same, for periodic axes
  std::ptrdiff_t pitch;
  bool periodic;
};

/// c = a b of matrices by rows: `rows` x `width` from `rows` x `n` and `n` x `width`.
template <class T>
struct MatrixProduct {
  int rows, n, width;
  const T* a;
  std::ptrdiff_t a_row;
  const T* b;
  std::ptrdiff_t b_row;
  T* c;
  std::ptrdiff_t c_row;
};

template <class T>
struct RowKernels {
  void (*momentum)(const MomentumRow<T>&);
  void (*diffusion)(const DiffusionRow<T>&);
  double (*helmholtz)(const HelmholtzRow<T>&);
  void (*divergence)(const DivergenceRow<T>&);
  void (*project)(const ProjectionRow<T>&);
  double (*poisson)(const PoissonRow<T>&);
  void (*tridiagonal)(const TridiagonalLines<T>&);
  void (*product)(const MatrixProduct<T>&);
};

/// The kernels for an instruction set. Throws std::invalid_argument if the processor does not have it.
template <class T>
RowKernels<T> row_kernels(core::Isa isa = core::best_isa());
template <>
RowKernels<float> row_kernels(core::Isa isa);
template <>
RowKernels<double> row_kernels(core::Isa isa);

}  // namespace speedwell::incompressible_flow

// What is done to a row of cells, compiled for several instruction sets (row_kernels.cpp). Pointers stand at cell 0 of
// the row; fields have a layer of cells around the mesh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/incompressible_flow/momentum.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::incompressible_flow {

/// next = base + now rate + before (rate before) (+ half the diffusion of base and the gradient in `extra`).
template <class T>
struct MomentumRow {
  std::ptrdiff_t row, plane;  // from a row to the next, from a plane to the next
  MeshMetrics<T> metrics;     // tables along y and z stand at this row's cell
  int cells;
  int open[3];  // faces of each component that are not closed by the box: cells, one fewer, or none
  T viscosity;  // 0 where diffusion is not explicit
  T now, before;
  T acceleration[3];
  const T* u[3];
  const T* base[3];
  T* rate[3];  // read if `before` is not 0, then written if keeps_rate
  T* next[3];
  const T* friction[3];  // or null
  bool keeps_rate;
};
/// next += factor nu (diffusion of base) - length dt grad p, of the trapezoidal rule.
template <class T>
struct DiffusionRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int component, open;
  T factor;         // times viscosity
  T pressure_step;  // the substep's length in time
  const T* u;
  const T* pressure;  // or null
  const T* friction;  // or null
  T* next;
};
/// y = Omega (x - factor L x), returns the sum of x y; faces beyond `open` and closed ones get 0.
template <class T>
struct HelmholtzRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int component, open, cells;
  T factor;
  const T* x;
  const T* friction;
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
/// u -= step grad p. The pressure's neighbours: the same row, and the next ones along y and z.
template <class T>
struct ProjectionRow {
  MeshMetrics<T> metrics;
  int cells;
  T step;
  const T* p[3];  // of this row, of the next along y, of the next along z
  T p_beyond;     // past the last cell of this row
  T* u[3];
  const T* friction[3];
  int open[3];
};
/// y = A x, A the negative Laplacian times volumes, through open faces; returns the sum of x y.
template <class T>
struct PoissonRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int cells;
  const T* x;
  const T* fluid;  // 1 and 0 with a layer around the mesh, or null
  T* y;
};
/// Lines of tridiagonal systems side by side: `width` of them from `first` on in planes that are `plane` apart, `n`
/// long. (off[k - 1], diagonal[k] + lambda, off[k]) with rows scaled by inverse widths; off[n - 1] closes the circle.
template <class T>
struct TridiagonalLines {
  int n, width;
  const T* low;   // coefficient of the cell before; of cell 0 that of the last where the axis is periodic, else 0
  const T* high;  // of the cell after
  const T* lambda;
  T* x;  // n rows of `pitch`: right-hand sides, then solutions
  T* c;  // n rows of `pitch`
  T* q;  // the same, of periodic axes
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

/// Those of an instruction set. Throws std::invalid_argument if the processor does not have it.
template <class T>
RowKernels<T> row_kernels(core::Isa isa = core::best_isa());

}  // namespace speedwell::incompressible_flow

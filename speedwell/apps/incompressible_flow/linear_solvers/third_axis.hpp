// Batched solution of the tridiagonal systems along the third axis (z) that remain of the pressure equation after it
// has been diagonalised along the other two axes, for example by Fourier transforms.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// The coefficients of the systems, and their solution. T is the type of the arithmetic, float or double.
template <class T>
class ThirdAxis {
 public:
  explicit ThirdAxis(const Problem& problem);

  /// Solves the systems of `width` modes: element k of mode m is x[k * pitch + m], for all nz cells k. x has the
  /// right-hand sides and is overwritten with the solutions; c and q are workspaces of the same size, and q is used for
  /// a periodic axis only. lambda[m] is the sum of the eigenvalues of mode m along the other axes. `has_constant`: mode
  /// 0 is constant along both of them, so that its system is singular; lambda[0] is then overwritten, the mean of the
  /// right-hand side is subtracted, and the solution is chosen to be 0 in the first cell.
  void solve(const RowKernels<T>& kernels, int width, T* lambda, bool has_constant, T* x, T* c, T* q,
             std::ptrdiff_t pitch) const;

 private:
  void solve_constant(T* x, std::ptrdiff_t pitch) const;

  int n_;  // cells
  bool periodic_;
  std::vector<T> low_, high_;             // coefficients of the previous and the next cell
  std::vector<double> width_, distance_;  // width of each cell, distance from its centre to that of the next
};

extern template class ThirdAxis<float>;
extern template class ThirdAxis<double>;

}  // namespace speedwell::incompressible_flow

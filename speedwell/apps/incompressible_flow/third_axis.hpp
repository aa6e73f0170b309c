// The tridiagonal systems of the pressure equation along the third axis, for any diagonalisation along the other two.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/row_kernels.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class ThirdAxis {
 public:
  explicit ThirdAxis(const Problem& problem);

  /// Solves `width` adjacent lines of modes in n rows of `pitch`. x has the right-hand sides and then the solutions; c
  /// and q have the same size and are overwritten. lambda[m] is the sum of the eigenvalues along the other axes. With
  /// `has_constant` the mode 0 is constant along both of them: its system is singular, and its solution is 0 in the
  /// first cell.
  void solve(const RowKernels<T>& kernels, int width, T* lambda, bool has_constant, T* x, T* c, T* q,
             std::ptrdiff_t pitch) const;

 private:
  void solve_constant(T* x, std::ptrdiff_t apart) const;

  int n_;
  bool periodic_;
  std::vector<T> low_, high_;  // coefficients of the previous and the next cell
  std::vector<double> width_, distance_;
};

extern template class ThirdAxis<float>;
extern template class ThirdAxis<double>;

}  // namespace speedwell::incompressible_flow

// The tridiagonal systems of the pressure equation along the third axis, whatever has diagonalised it along the other
// two.
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

  /// Lines of modes side by side: `width` of them in n rows of `pitch`, right-hand sides in x and then solutions; c and
  /// q are as large and overwritten. lambda[m] is the sum of the eigenvalues along the other axes. With `has_constant`
  /// the mode 0 is constant along both of them: its system is singular, and its solution is 0 in the first cell.
  void solve(const RowKernels<T>& kernels, int width, T* lambda, bool has_constant, T* x, T* c, T* q,
             std::ptrdiff_t pitch) const;

 private:
  void solve_constant(T* x, std::ptrdiff_t apart) const;

  int n_;
  bool periodic_;
  std::vector<T> low_, high_;  // coefficients of the cells before and after
  std::vector<double> width_, distance_;
};

extern template class ThirdAxis<float>;
extern template class ThirdAxis<double>;

}  // namespace speedwell::incompressible_flow

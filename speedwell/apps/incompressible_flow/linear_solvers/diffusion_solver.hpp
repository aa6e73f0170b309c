// The implicit half of the trapezoidal rule: (1 - factor L) u = b for one velocity component, by conjugate gradients
// with the diagonal as preconditioner. The system is diagonally dominant for the steps that convection allows, so that
// a few iterations suffice.
#pragma once

#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class DiffusionSolver {
 public:
  DiffusionSolver(const Problem& problem, const Layout& layout, RowTeam& team, core::Isa isa);

  /// Replaces b by the solution, with `guess` as the initial guess. Both are of component c. `wall_drag`: as in
  /// metrics.hpp, or null. `factor`: time times viscosity. Returns the number of iterations. Throws core::DeviceError
  /// if they do not converge.
  int solve(int c, double factor, const Field<T>& guess, const T* wall_drag, Field<T>& b);

 private:
  int open(int c, int j, int k) const;

  const Problem& problem_;
  Layout layout_;
  RowTeam& team_;
  Metrics<T> metrics_;
  RowKernels<T> kernels_;
  Field<T> x_, r_, p_, q_;
};

extern template class DiffusionSolver<float>;
extern template class DiffusionSolver<double>;

}  // namespace speedwell::incompressible_flow

// Conjugate gradients for the pressure on any mesh with any solids, on all cores. The preconditioner has the pattern of
// the operator A itself, M^-1 = D^-1 + w D^-1 (D - A) D^-1 with D its diagonal, or is the direct solver of the box
// without its solids. Sums are pairwise and in one order, so that the bits do not depend on the number of threads.
#pragma once

#include <memory>

#include "speedwell/apps/incompressible_flow/cpu/vector_rows.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/direct_solver.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class ConjugateGradients {
 public:
  /// `direct` may be null. `weight` is w: 0 is Jacobi's preconditioner; from 1 on M^-1 is singular on even periodic
  /// meshes, whose checkerboard has the eigenvalue 2 of D^-1 A.
  ConjugateGradients(const Problem& problem, const Layout& layout, RowTeam& team, core::Isa isa,
                     DirectSolver<T>* direct, double weight = 0.8);

  /// Solves Laplacian x = f, with f in `rhs` and x as the initial guess, until the residual is `tolerance` times the
  /// right-hand side in the volume-weighted norm. Returns the number of iterations. Throws core::DeviceError after
  /// `max_iterations`.
  int solve(Field<T>& rhs, Field<T>& x, double tolerance, int max_iterations);

 private:
  double apply(Field<T>& x, Field<T>& y);
  double precondition();
  double square(const Field<T>& x);
  void remove_mean(Field<T>& x, bool by_volume);
  const T* fluid(int j, int k) const { return fluid_ ? fluid_.at(layout_, j, k) : nullptr; }

  const Problem& problem_;
  Layout layout_;
  RowTeam& team_;
  Metrics<T> metrics_;
  RowKernels<T> kernels_;
  VectorRows<T> vectors_;
  DirectSolver<T>* direct_;
  T weight_;
  Field<T> fluid_, inverse_diagonal_, r_, s_, z_, p_, q_;
  double fluid_cells_ = 0, fluid_volume_ = 0;
};

extern template class ConjugateGradients<float>;
extern template class ConjugateGradients<double>;

}  // namespace speedwell::incompressible_flow

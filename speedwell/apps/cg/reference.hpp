// The oracle of conjugate gradients: textbook iterations, and the residual and norm by the oracle of the operator.
#pragma once

#include <vector>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::cg {

/// ||b - A x|| / ||b|| in extended precision.
template <class T>
double reference_residual(const stencil::Operator<T>& a, const T* b, const T* x);

/// The maximum row sum norm ||A||_inf, an upper bound of ||A||_2 for symmetric A.
template <class T>
double reference_norm(const stencil::Operator<T>& a);

/// x after `iterations` of textbook preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952; Saad
/// 2003, 9.2.1) in double, and the norms ||r|| / ||b|| of its recurrence. With a preconditioner z = r / D + omega / D
/// (D - A) r / D, where D is the diagonal (omega 0: Jacobi). Stops if ||r|| <= tolerance ||b||.
struct ReferenceCg {
  std::vector<double> x;
  std::vector<double> residuals;  // after iteration 1, 2, ...
};
template <class T>
ReferenceCg reference_cg(const stencil::Operator<T>& a, const T* b, int iterations, double tolerance,
                         bool preconditioned = false, double omega = 0);

}  // namespace speedwell::cg

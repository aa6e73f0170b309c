// The reference's linear systems. For reference*.cpp only.
#pragma once

#include <functional>
#include <vector>

#include "speedwell/apps/incompressible_flow/verify/reference_mesh.hpp"

namespace speedwell::incompressible_flow::reference {

double dot(const Cells& a, const Cells& b);

/// Conjugate gradients for a symmetric positive semidefinite operator, from the given x until rounding keeps the
/// residual from decreasing; for a singular system it may even grow from there. x becomes the iterate with the minimum
/// residual, up to a factor of 2.
void solve(const std::function<void(const Cells&, Cells&)>& apply, const Cells& b, Cells& x);

/// Minus the Laplacian times volumes: sums of fluxes through the open faces of each cell.
class Poisson {
 public:
  explicit Poisson(const Mesh& mesh);

  /// Laplacian of p = rhs, with volume mean 0. The result of `approximate` is accepted if its residual is a rounding
  /// error of this operator; otherwise it is the initial guess of conjugate gradients.
  void solve_for(const Cells& rhs, Cells& p, const Approximate& approximate);

 private:
  bool refined(Cells& p, const Approximate& approximate);
  void apply(const Cells& x, Cells& y) const { return (void)apply_and_weigh(x, y); }
  /// y = A x; returns the norm of |A| |x|.
  double apply_and_weigh(const Cells& x, Cells& y) const;

  const Mesh& mesh_;
  Faces weight_;  // of the flux through a face; 0 if it is closed
  Cells volume_;
  Cells rhs_, residual_, product_, correction_;  // of solve_for(), kept since a large array takes long to allocate
};

}  // namespace speedwell::incompressible_flow::reference

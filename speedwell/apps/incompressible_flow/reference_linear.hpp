// The reference's linear systems. For reference*.cpp alone.
#pragma once

#include <functional>
#include <vector>

#include "speedwell/apps/incompressible_flow/reference_mesh.hpp"

namespace speedwell::incompressible_flow::reference {

double dot(const Cells& a, const Cells& b);

/// Conjugate gradients for a symmetric operator that is not negative, from the x given until the residual no longer
/// falls, which rounding decides: of a singular system it may rise without end from there. x becomes the iterate that
/// had the least residual, but for a factor of 2.
void solve(const std::function<void(const Cells&, Cells&)>& apply, const Cells& b, Cells& x);

/// Minus the Laplacian times volumes: sums of fluxes through the open faces of each cell.
class Poisson {
 public:
  explicit Poisson(const Mesh& mesh);

  /// Laplacian of p = rhs, with volume mean 0. What `approximate` finds is taken where it leaves a residual that this
  /// operator's own roundings explain, and else begins conjugate gradients.
  void solve_for(const Cells& rhs, Cells& p, const Approximate& approximate) const;

 private:
  bool refined(const Cells& b, Cells& p, const Approximate& approximate) const;
  void apply(const Cells& x, Cells& y) const { return (void)apply_and_weigh(x, y); }
  /// y = A x; returns the norm of |A| |x|.
  double apply_and_weigh(const Cells& x, Cells& y) const;

  const Mesh& mesh_;
  Faces weight_;  // of the flux through a face; 0 where it is closed
  Cells volume_;
};

}  // namespace speedwell::incompressible_flow::reference

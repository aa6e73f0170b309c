// The scalars of conjugate gradients on the cells next to solids (interface_cg.hpp), and their update: host and device
// code.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

struct InterfaceScalars {
  double goal = 0, residual = 0;  // squares
  double gamma = 0, alpha = 0, beta = 0;
  int iteration = 0, running = 0;
  int breakdowns = 0;  // solves since the last report that ended because the curvature was not positive
};

/// From gamma = r . M^-1 r and product = M^-1 r . A M^-1 r to the step's alpha and beta (Chronopoulos and Gear 1989).
/// If rounding has made the preconditioner indefinite, or for a NaN, there is no step: the solve ends, and counts as a
/// breakdown.
SPEEDWELL_HD
inline void begin_step(InterfaceScalars& s, double gamma, double product) {
  const bool first = s.iteration == 0;
  const double beta = first ? 0 : gamma / s.gamma;
  const double curvature = product - (first ? 0 : beta * gamma / s.alpha);
  const bool finite = gamma - gamma == 0 && curvature - curvature == 0;
  s.running = finite && curvature > 0;
  s.breakdowns += !s.running;
  s.gamma = gamma;
  s.beta = beta;
  s.alpha = gamma / curvature;
}

}  // namespace speedwell::incompressible_flow::gpu

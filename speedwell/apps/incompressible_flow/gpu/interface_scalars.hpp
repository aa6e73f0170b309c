// The numbers of conjugate gradients beside solids (interface_cg.hpp), and how an iteration begins: host and device
// code.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

struct InterfaceScalars {
  double goal = 0, residual = 0;  // squares
  double gamma = 0, alpha = 0, beta = 0;
  int iteration = 0, running = 0;
  int breakdowns =
      0;  // solves that ended for want of a direction of positive curvature, since they were last asked for
};

/// From gamma = r . M^-1 r and product = M^-1 r . A M^-1 r to the step's alpha and beta (Chronopoulos and Gear 1989). A
/// preconditioner that rounding has made indefinite, or a number that is none, has no step: the solve ends as it is,
/// and counts as a breakdown.
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

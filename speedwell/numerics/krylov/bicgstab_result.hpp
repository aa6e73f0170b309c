// Limits and result of BiCGSTAB on the host and on a GPU.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace speedwell::krylov {

enum class BicgstabOutcome {
  converged,
  iteration_limit,  // the maximum number of iterations
  breakdown,        // breakdown (division by zero), again after a restart
  not_finite,
};

inline const char* to_string(BicgstabOutcome outcome) {
  switch (outcome) {
    case BicgstabOutcome::converged:
      return "converged";
    case BicgstabOutcome::iteration_limit:
      return "not converged within the maximum number of iterations";
    case BicgstabOutcome::breakdown:
      return "stopped: breakdown (division by zero), again after a restart";
    case BicgstabOutcome::not_finite:
      return "stopped: a value is not finite";
  }
  return "?";
}

struct BicgstabLimits {
  double tolerance = 1e-10;  // relative residual tolerance ||r|| / ||b||
  int iterations = 10'000;   // maximum number of iterations
};

struct BicgstabResult {
  int iterations = 0, restarts = 0;
  BicgstabOutcome outcome = BicgstabOutcome::converged;
  double residual = 0;  // ||r|| / ||b|| of the recurrence
};

/// Throws std::invalid_argument for invalid limits.
inline void require_valid(const BicgstabLimits& limits) {
  if (!(limits.tolerance > 0) || !std::isfinite(limits.tolerance))
    throw std::invalid_argument("bicgstab: a tolerance of " + std::to_string(limits.tolerance) +
                                "; must be positive and finite");
  if (limits.iterations < 1)
    throw std::invalid_argument("bicgstab: " + std::to_string(limits.iterations) + " iterations; must be at least 1");
}

}  // namespace speedwell::krylov

// What BiCGSTAB is asked for and what it says, on the host and on a GPU.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace speedwell::numerics {

enum class BicgstabOutcome {
  converged,
  used_up,     // the iterations allowed
  broke_down,  // a division by zero, after a restart, too
  not_finite,
};

inline const char* to_string(BicgstabOutcome outcome) {
  switch (outcome) {
    case BicgstabOutcome::converged:
      return "converged";
    case BicgstabOutcome::used_up:
      return "not converged in the iterations allowed";
    case BicgstabOutcome::broke_down:
      return "stopped: a division by zero, after a restart, too";
    case BicgstabOutcome::not_finite:
      return "stopped: a number is not finite";
  }
  return "?";
}

struct BicgstabLimits {
  double tolerance = 1e-20;  // stops where the sum of squares of the residual is at most this
  int iterations = 10'000;   // at most
};

struct BicgstabResult {
  int iterations = 0, restarts = 0;
  BicgstabOutcome outcome = BicgstabOutcome::converged;
  double residual = 0;  // sum of squares, of the recurrence
};

/// Throws std::invalid_argument.
inline void require_valid(const BicgstabLimits& limits) {
  if (!(limits.tolerance > 0) || !std::isfinite(limits.tolerance))
    throw std::invalid_argument("bicgstab: a tolerance of " + std::to_string(limits.tolerance) + "; above 0");
  if (limits.iterations < 1)
    throw std::invalid_argument("bicgstab: " + std::to_string(limits.iterations) + " iterations; 1 and above");
}

}  // namespace speedwell::numerics

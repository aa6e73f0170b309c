// A system of three unknowns that host and GPU multiply with.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::krylov {

/// A system of three unknowns at which BiCGSTAB divides by zero once, in numbers that are exact.
struct SmallSystem {
  double a[3][3], right_hand_side[3], solution[3];
  SPEEDWELL_HD
  void multiply(const double* x, double* y) const {
    for (int i = 0; i < 3; ++i) y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
  }
};
inline constexpr SmallSystem breaks_down_once = {{{-2, 0, 0}, {1, 0, -1}, {-2, -1, 0}}, {1, -1, -1}, {-0.5, 2, 0.5}};

}  // namespace speedwell::krylov

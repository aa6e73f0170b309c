// The result of EP in device memory.
#pragma once

#include "speedwell/apps/npb/ep/ep.hpp"

namespace speedwell::npb::ep {

/// A Result of ep.hpp in device memory, where std::array is not available: the sums of x and y, and the number of pairs
/// in each annulus.
struct DeviceResult {
  double sums[2];
  unsigned long long counts[annuli];
};

}  // namespace speedwell::npb::ep

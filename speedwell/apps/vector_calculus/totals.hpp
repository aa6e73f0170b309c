// Reductions over all points of a field.
#pragma once

#include <span>

#include "speedwell/core/host_device.hpp"

namespace speedwell::vector_calculus {

/// The sum of the values at all points, in f64, and the largest magnitude. A NaN anywhere makes both NaN.
struct Totals {
  double sum = 0, largest = 0;  // of no point: 0

  /// Adds the value of one point.
  SPEEDWELL_HD
  void take(double value) {
    const double magnitude = value < 0 ? -value : value;
    sum += value;
    if (magnitude > largest || magnitude != magnitude) largest = magnitude;
  }
  /// Adds the totals of other points, after those that are here.
  SPEEDWELL_HD
  void take(const Totals& other) {
    sum += other.sum;
    if (other.largest > largest || other.largest != other.largest) largest = other.largest;
  }
};

/// Combines partial totals pairwise: the error is at most about log2 of their number, in roundings of the sum of
/// magnitudes. The result depends on the order of the parts; of none it is {0, 0}.
Totals combined(std::span<const Totals> parts);

}  // namespace speedwell::vector_calculus

// When something of a flow's run is due: multiples of an interval, and times besides.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/simulation.hpp"

namespace speedwell::cli {

/// Multiples of an interval, counted from 0, and times that increase.
class Schedule {
 public:
  explicit Schedule(double interval, std::vector<double> times = {}) : interval_(interval), times_(std::move(times)) {}
  /// Whether there is an interval.
  bool wanted() const { return interval_ > 0; }
  bool empty() const { return !wanted() && times_.empty(); }
  /// The first after t.
  double next(double t) const {
    const auto after = std::upper_bound(times_.begin(), times_.end(), t);
    const double time = after == times_.end() ? std::numeric_limits<double>::infinity() : *after;
    return wanted()
               ? std::min(time, incompressible_flow::moment_of(std::floor(t / interval_ * (1 + 1e-12)) + 1, interval_))
               : time;
  }
  bool due(double t) const {
    return (wanted() && std::abs(t - std::round(t / interval_) * interval_) <= 1e-12 * t) ||
           std::binary_search(times_.begin(), times_.end(), t);
  }

 private:
  double interval_;
  std::vector<double> times_;
};

}  // namespace speedwell::cli

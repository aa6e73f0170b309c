#include "speedwell/simulation/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "speedwell/apps/incompressible_flow/simulation.hpp"

namespace speedwell::simulation {

Schedule::Schedule(double interval, std::vector<double> times) : interval_(interval), times_(std::move(times)) {}

double Schedule::next(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  const double time = after == times_.end() ? std::numeric_limits<double>::infinity() : *after;
  if (!has_interval()) return time;
  return std::min(time, incompressible_flow::moment_of(std::floor(t / interval_ * (1 + 1e-12)) + 1, interval_));
}

bool Schedule::due(double t) const {
  return (has_interval() && std::abs(t - std::round(t / interval_) * interval_) <= 1e-12 * t) ||
         std::binary_search(times_.begin(), times_.end(), t);
}

}  // namespace speedwell::simulation

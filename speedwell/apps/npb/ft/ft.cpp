#include "speedwell/apps/npb/ft/ft.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace speedwell::npb::ft {

void require_valid(const Problem& problem) {
  const std::string extents =
      std::to_string(problem.nx) + " x " + std::to_string(problem.ny) + " x " + std::to_string(problem.nz);
  if (problem.nx < 1 || problem.ny < 1 || problem.nz < 1)
    throw std::invalid_argument("ft: a grid of " + extents + "; at least 1 point along each axis is needed");
  if (static_cast<double>(problem.nx) * static_cast<double>(problem.ny) * static_cast<double>(problem.nz) > 0x1p43)
    throw std::invalid_argument("ft: a grid of " + extents + "; at most 2^43 points have random numbers of their own");
  if (problem.iterations < 1)
    throw std::invalid_argument("ft: " + std::to_string(problem.iterations) + " iterations; at least 1 is needed");
}

double nominal_operations(const Problem& problem) {
  const auto n = static_cast<double>(points(problem));
  return n * (14.8157 + 7.19641 * std::log(n) + (5.23518 + 7.21113 * std::log(n)) * problem.iterations);
}

std::vector<double> decay(std::int64_t n, int t) {
  std::vector<double> factors(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const double k = wave_number(i, n);
    factors[static_cast<std::size_t>(i)] = std::exp(decay_exponent * k * k * t);
  }
  return factors;
}

}  // namespace speedwell::npb::ft

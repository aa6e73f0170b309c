// The pressure of the mode that is constant along two axes, for which the tridiagonal system along the third is
// singular.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace speedwell::incompressible_flow {

/// Replaces right sides x[0], x[apart], … of cells with these widths by the solution that is 0 in the first, flux by
/// flux; distance[k] is from centre k to the next. What the right sides add up to is rounding, and taken from them.
template <class T>
void solve_constant_mode(std::span<const double> width, std::span<const double> distance, bool periodic, T* x,
                         std::ptrdiff_t apart) {
  const std::size_t n = width.size();
  const auto at = [&](std::size_t k) -> T& { return x[static_cast<std::ptrdiff_t>(k) * apart]; };
  double sum = 0, length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += width[k] * static_cast<double>(at(k));
    length += width[k];
  }
  const double mean = sum / length;
  std::vector<double> flux(n);
  double through = 0, circle = 0;
  for (std::size_t k = 0; k < n; ++k) {
    flux[k] = through += width[k] * (static_cast<double>(at(k)) - mean);
    circle += distance[k] * through;
  }
  const double constant = periodic ? -circle / length : 0;  // distances along a circle add up to its length, too
  double p = 0;
  for (std::size_t k = 0; k < n; ++k) {
    at(k) = static_cast<T>(p);
    p += distance[k] * (flux[k] + constant);
  }
}

}  // namespace speedwell::incompressible_flow

#include "speedwell/apps/npb/ft/gpu/lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace speedwell::npb::ft {

std::vector<std::complex<double>> roots_of(std::int64_t n) {
  std::vector<std::complex<double>> roots;
  for (std::int64_t k = 0; k < std::max<std::int64_t>(n / 2, 1); ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots.emplace_back(static_cast<double>(std::cos(angle)), static_cast<double>(-std::sin(angle)));
  }
  return roots;
}

}  // namespace speedwell::npb::ft

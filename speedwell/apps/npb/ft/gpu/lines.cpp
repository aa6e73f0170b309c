#include "speedwell/apps/npb/ft/gpu/lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace speedwell::npb::ft {

void require_powers_of_two(const Problem& problem) {
  require_valid(problem);
  for (const std::int64_t n : {problem.nx, problem.ny, problem.nz})
    if (!std::has_single_bit(static_cast<std::uint64_t>(n)))
      throw std::invalid_argument("ft: an extent of " + std::to_string(n) + "; on a GPU powers of two are possible");
}

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

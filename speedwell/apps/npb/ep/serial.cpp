// Straightforward serial code: the generator in 64-bit integers, one logarithm and one square root of the library per
// accepted pair.
#include <algorithm>
#include <cmath>

#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ep {

Result tally_serially(const Problem& problem) {
  require_valid(problem);
  Random random(seed);
  Result result;
  for (std::int64_t t = 0; t < pairs(problem); ++t) {
    const double x = 2 * random.next() - 1, y = 2 * random.next() - 1;
    const double s = x * x + y * y;
    if (s > 1) continue;
    const double factor = std::sqrt(-2 * std::log(s) / s);
    const double big_x = x * factor, big_y = y * factor;
    ++result.counts[static_cast<std::size_t>(std::max(std::abs(big_x), std::abs(big_y)))];
    result.sum_x += big_x;
    result.sum_y += big_y;
  }
  return result;
}

}  // namespace speedwell::npb::ep

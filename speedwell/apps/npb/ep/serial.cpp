// The `serial` variant: one pair after the other, with the random numbers in 64-bit integers and the logarithm and
// square root of the C++ library.
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
    const double deviate_x = x * factor, deviate_y = y * factor;
    // Deviates of 10 and above have no annulus; the probability of such a pair is 3e-23.
    ++result.counts[static_cast<std::size_t>(std::max(std::abs(deviate_x), std::abs(deviate_y)))];
    result.sum_x += deviate_x;
    result.sum_y += deviate_y;
  }
  return result;
}

}  // namespace speedwell::npb::ep

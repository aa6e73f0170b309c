// The definition with the oracles' generator; everything after the generator is computed in long double.
#include "speedwell/apps/npb/ep/reference.hpp"

#include <algorithm>
#include <cmath>

#include "speedwell/apps/npb/reference_random.hpp"

namespace speedwell::npb::ep {

Result reference(const Problem& problem) {
  require_valid(problem);
  ReferenceRandom random(271828183);
  Result result;
  long double sum_x = 0, sum_y = 0;
  for (std::int64_t t = 0; t < pairs(problem); ++t) {
    const long double x = 2 * random.next() - 1, y = 2 * random.next() - 1, s = x * x + y * y;
    if (s > 1) continue;
    const long double factor = std::sqrt(-2 * std::log(s) / s), big_x = x * factor, big_y = y * factor;
    const auto annulus = static_cast<std::size_t>(std::max(std::abs(big_x), std::abs(big_y)));
    if (annulus < result.counts.size()) ++result.counts[annulus];
    sum_x += big_x;
    sum_y += big_y;
  }
  result.sum_x = static_cast<double>(sum_x);
  result.sum_y = static_cast<double>(sum_y);
  return result;
}

}  // namespace speedwell::npb::ep

// The generator in the 23-bit halves of the original, everything after it in long double.
#include "speedwell/apps/npb/ep/reference.hpp"

#include <algorithm>
#include <cmath>

namespace speedwell::npb::ep {
namespace {

// x <- 5^13 x mod 2^46 with x = 2^23 high + low. 5^13 = 145 * 2^23 + 4354965.
struct Halves {
  std::uint64_t high = 271828183 / 8388608, low = 271828183 % 8388608;

  long double next() {
    const std::uint64_t bottom = 4354965 * low;
    high = (145 * low + 4354965 * high + bottom / 8388608) % 8388608;
    low = bottom % 8388608;
    return (static_cast<long double>(high) + static_cast<long double>(low) / 8388608) / 8388608;
  }
};

}  // namespace

Result reference(const Problem& problem) {
  require_valid(problem);
  Halves random;
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

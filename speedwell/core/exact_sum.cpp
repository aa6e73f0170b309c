#include "speedwell/core/exact_sum.hpp"

#include <cmath>

namespace speedwell::core {

// Leaves all limbs in [0, 2^32) but the last, which has the sign.
void ExactSum::carry() {
  for (std::size_t i = 0; i + 1 < limbs_.size(); ++i) {
    limbs_[i + 1] += limbs_[i] >> 32;  // rounds down, also for negative limbs
    limbs_[i] &= 0xffffffff;
  }
  terms_ = 1;
}

double ExactSum::value() const {
  if (not_finite_ != 0) return not_finite_;  // an infinity, or not a number, which is unequal to 0, too
  ExactSum magnitude = *this;
  magnitude.carry();
  const bool negative = magnitude.limbs_.back() < 0;
  if (negative) {
    for (std::int64_t& limb : magnitude.limbs_) limb = -limb;
    magnitude.carry();
  }
  auto top = static_cast<int>(limbs) - 1;
  const auto limb = [&](int i) {
    return i < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(magnitude.limbs_[static_cast<std::size_t>(i)]);
  };
  while (top >= 0 && limb(top) == 0) --top;
  if (top < 0) return 0;
  // The 96 bits from the highest limb on, of which at least 65 count, and whether anything below them is set.
  const int leading = std::countl_zero(limb(top)) - 32;
  std::uint64_t high = limb(top) << 32 | limb(top - 1);
  if (leading > 0) high = high << leading | limb(top - 2) >> (32 - leading);
  bool below = (leading > 0 ? limb(top - 2) << (32 + leading) : limb(top - 2)) != 0;
  for (int i = top - 3; i >= 0 && !below; --i) below = limb(i) != 0;
  // high is 64 bits, the highest of them set, of the number high 2^(32 (top - 1) - leading - 1074). A subnormal number
  // has fewer than 53 bits, and the sum is a multiple of the smallest of them.
  const int exponent = 32 * (top - 1) - leading - 1074;
  const int dropped = exponent < -1085 ? -1074 - exponent : 11;
  std::uint64_t kept = high >> dropped;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1), rest = high & (half * 2 - 1);
  if (rest > half || (rest == half && (below || (kept & 1) != 0))) ++kept;
  const double rounded = std::ldexp(static_cast<double>(kept), exponent + dropped);
  return negative ? -rounded : rounded;
}

}  // namespace speedwell::core

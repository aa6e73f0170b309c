// The generator of the oracles in the 23-bit halves of the original benchmark. It shares no code with random.hpp.
#pragma once

#include <cstdint>

namespace speedwell::npb {

/// x <- 5^13 x mod 2^46 with x = 2^23 high + low. 5^13 = 145 * 2^23 + 4354965.
class ReferenceRandom {
 public:
  explicit ReferenceRandom(std::uint64_t seed) : high_(seed / 8388608), low_(seed % 8388608) {}
  /// The next number, x 2^-46.
  long double next() {
    const std::uint64_t bottom = 4354965 * low_;
    high_ = (145 * low_ + 4354965 * high_ + bottom / 8388608) % 8388608;
    low_ = bottom % 8388608;
    return (static_cast<long double>(high_) + static_cast<long double>(low_) / 8388608) / 8388608;
  }

 private:
  std::uint64_t high_, low_;
};

}  // namespace speedwell::npb

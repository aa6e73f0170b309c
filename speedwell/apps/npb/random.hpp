// The pseudo-random numbers of the NAS Parallel Benchmarks, on host and device: the state is x <- a x mod 2^46 with a =
// 5^13, and the number x 2^-46. D. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, section 2.3. The generator
// has no additive constant, so that any number of steps is one product with a power of a: this is how threads and lanes
// jump to streams of their own.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::npb {

constexpr int state_bits = 46;
constexpr std::uint64_t state_mask = (std::uint64_t{1} << state_bits) - 1;
constexpr std::uint64_t multiplier = 1220703125;  // 5^13

/// a b mod 2^46. The overflow of the 64-bit product affects only higher bits.
SPEEDWELL_HD
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a * b & state_mask; }

/// The factor that advances the state by `steps` steps: 5^(13 steps) mod 2^46.
SPEEDWELL_HD
constexpr std::uint64_t jump(std::uint64_t steps) {
  std::uint64_t factor = 1;
  for (std::uint64_t square = multiplier; steps > 0; steps >>= 1, square = product(square, square))
    if (steps & 1) factor = product(factor, square);
  return factor;
}

/// One stream. The seed is odd and below 2^46; it is not itself one of the numbers.
class Random {
 public:
  SPEEDWELL_HD
  constexpr explicit Random(std::uint64_t seed) : state_(seed) {}
  /// The next number in (0, 1). It is exact, because 46 bits fit into a double.
  SPEEDWELL_HD
  constexpr double next() {
    state_ = product(multiplier, state_);
    return static_cast<double>(state_) * 0x1p-46;
  }
  SPEEDWELL_HD
  constexpr void skip(std::uint64_t steps) { state_ = product(jump(steps), state_); }
  SPEEDWELL_HD
  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace speedwell::npb

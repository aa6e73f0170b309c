// The stream of RandomAccess, on host and device: x_0 = 1, and a step multiplies by t modulo t^64 + t^2 + t + 1 over
// GF(2), bit i of a word being the coefficient of t^i. n steps are one product with t^n: this is how threads and ranks
// begin anywhere. HPC Challenge, RandomAccess (Dongarra, Luszczek 2005).
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::gups {

/// Steps after which the stream begins again: (2^63 - 1) / 7.
constexpr std::uint64_t period = 1317624576693539401ull;

/// The word after x.
SPEEDWELL_HD
constexpr std::uint64_t next(std::uint64_t x) {
  const auto top = static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 63);  // all bits are x's first one
  return x << 1 ^ (top & 7);
}

/// a b in the ring. From the coefficient of t^63 down: a step, and b where a has the power.
SPEEDWELL_HD
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (int power = 63; power >= 0; --power) sum = next(sum) ^ ((a >> power & 1) ? b : 0);
  return sum;
}

/// x_n = t^n, by squaring.
SPEEDWELL_HD
constexpr std::uint64_t word(std::uint64_t n) {
  std::uint64_t x = 1;
  for (std::uint64_t square = 2; n > 0; n >>= 1, square = product(square, square))
    if (n & 1) x = product(x, square);
  return x;
}

}  // namespace speedwell::gups

// The stream of RandomAccess, on host and device: x_0 = 1, and a step multiplies by t modulo t^64 + t^2 + t + 1 over
// GF(2), where bit i of a word is the coefficient of t^i. n steps are one product with t^n, which lets threads and
// ranks begin anywhere in the stream. HPC Challenge, RandomAccess (Dongarra, Luszczek 2005).
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::gups {

/// Period of the stream: (2^63 - 1) / 7.
constexpr std::uint64_t period = 1317624576693539401ull;

/// The successor of x.
SPEEDWELL_HD
constexpr std::uint64_t next(std::uint64_t x) {
  const auto top = static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 63);  // all bits equal the top bit of x
  return x << 1 ^ (top & 7);
}

/// The product a b in the ring, by Horner's scheme from the coefficient of t^63 down.
SPEEDWELL_HD
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (int power = 63; power >= 0; --power) sum = next(sum) ^ ((a >> power & 1) ? b : 0);
  return sum;
}

/// x_n = t^n, by repeated squaring.
SPEEDWELL_HD
constexpr std::uint64_t word(std::uint64_t n) {
  std::uint64_t x = 1;
  for (std::uint64_t square = 2; n > 0; n >>= 1, square = product(square, square))
    if (n & 1) x = product(x, square);
  return x;
}

}  // namespace speedwell::gups

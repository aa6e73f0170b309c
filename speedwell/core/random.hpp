// Random numbers by index: value i of stream `seed` is a function of (seed, i) alone, so that the data do not depend on
// the number of threads, ranks or devices. SplitMix64's finaliser: Steele, Lea, Flood, OOPSLA 2014.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::core {

/// Bits i of stream `seed`, uniform over 64 bits.
SPEEDWELL_HD
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95ull + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Number i of stream `seed`, uniform in [0, 1), with the 53 upper bits of random_bits(): a multiple of 2^-53, the same
/// on host and device.
SPEEDWELL_HD
constexpr double random_uniform(std::uint64_t seed, std::uint64_t i) {
  return static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
}

}  // namespace speedwell::core

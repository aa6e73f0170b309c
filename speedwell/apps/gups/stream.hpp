// The stream of RandomAccess, on host and device: x_0 = 1, and a step multiplies by t modulo t^64 + t^2 + t + 1 over
// GF(2), where bit i of a word is the coefficient of t^i. n steps are one product with t^n, which lets threads and
// ranks begin anywhere in the stream. HPC Challenge, RandomAccess (Dongarra, Luszczek 2005).
#pragma once

#include <bit>
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

/// The word `distance` steps after x; `distance` is 0 to 31. The bits that a shift moves out return as their product
/// with t^2 + t + 1, which is what t^64 is in the ring. In halves of 32 bits, which is what processors of GPUs shift.
SPEEDWELL_HD
constexpr std::uint64_t advanced(std::uint64_t x, int distance) {
  const auto low = static_cast<std::uint32_t>(x), high = static_cast<std::uint32_t>(x >> 32);
#ifdef __CUDA_ARCH__
  const std::uint32_t out = __funnelshift_l(high, 0, distance), shifted = __funnelshift_l(low, high, distance);
#else
  const std::uint32_t out = high >> 1 >> (31 - distance), shifted = high << distance | low >> 1 >> (31 - distance);
#endif
  const std::uint32_t new_low = low << distance ^ out ^ out << 1 ^ out << 2;
  return static_cast<std::uint64_t>(shifted ^ out >> 30) << 32 | new_low;
}

/// The words of the stream whose indices lie in one part of the table, found without generating those between them.
///
/// A table of 2^log2_words words has 2^log2_parts parts of consecutive words: the upper bits of an index are the number
/// of its part. A step shifts the index's bits up by one, and changes low bits only, so that a word shows the parts of
/// those that follow, as far as log2_words - log2_parts - 1 steps ahead. `Bits`: log2_parts where it is known to the
/// compiler, else -1.
template <int Bits = -1>
class PartOfStream {
 public:
  /// `log2_parts` is at most `log2_words`, and at most 24.
  constexpr PartOfStream(int log2_words, int log2_parts, std::uint64_t part)
      : log2_parts_(log2_parts),
        top_(64 - log2_words),
        window_(window_of(log2_words, log2_parts)),
        window_bits_(~std::uint32_t{0} << (32 - window_)),
        part_(static_cast<std::uint32_t>(part)) {}

  /// Moves x on to the next word of the part, but by at most `left` steps, which it subtracts, and by no more than
  /// window(). Returns whether x is of the part. With left = 0 x stays as it is.
  SPEEDWELL_HD
  constexpr bool find_next(std::uint64_t& x, std::uint32_t& left) const {
    if (left == 0) return false;
    const std::uint64_t first = next(x);
    // Bit 31 - j: whether the word j steps after `first` is of the part.
    const std::uint32_t indices = top_ >= 32 ? (top_ < 64 ? static_cast<std::uint32_t>(first) << (top_ - 32) : 0)
                                             : static_cast<std::uint32_t>(first >> (32 - top_));
    std::uint32_t matches = window_bits_;
    const int bits = Bits >= 0 ? Bits : log2_parts_;
    for (int bit = 0; bit < bits; ++bit) {
      const std::uint32_t wanted = part_ >> (bits - 1 - bit) & 1 ? ~std::uint32_t{0} : 0;
      matches &= ~(indices << bit ^ wanted);
    }
    bool found = matches != 0;
    std::uint32_t distance = found ? leading_zeros(matches) : static_cast<std::uint32_t>(window_ - 1);
    if (distance >= left) {
      distance = left - 1;
      found = false;
    }
    left -= distance + 1;
    x = advanced(first, static_cast<int>(distance));
    return found;
  }
  /// The maximum number of steps of find_next().
  constexpr int window() const { return window_; }

 private:
  static constexpr int window_of(int log2_words, int log2_parts) {
    const int shown = log2_words - log2_parts - 1, max_window = 32 - log2_parts;
    return shown < 1 ? 1 : (shown < max_window ? shown : max_window);
  }
  SPEEDWELL_HD
  static constexpr std::uint32_t leading_zeros(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__clz(static_cast<int>(bits)));
#else
    return static_cast<std::uint32_t>(std::countl_zero(bits));
#endif
  }

  int log2_parts_, top_, window_;
  std::uint32_t window_bits_, part_;
};

}  // namespace speedwell::gups

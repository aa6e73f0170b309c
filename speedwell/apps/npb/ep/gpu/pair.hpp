// The mathematics of a pair as the best GPU variant has it, for host and device: few instructions, of which few are
// FP64's. Logarithms from a table of 64 reciprocals for each power of 2 and a polynomial, roots without a division.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "speedwell/core/host_device.hpp"

namespace speedwell::npb::ep {

SPEEDWELL_HD
inline std::uint32_t upper_word(double v) {
  return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, v) >> 32);
}
SPEEDWELL_HD
inline std::uint32_t lower_word(double v) { return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, v)); }
SPEEDWELL_HD
inline double of_words(std::uint32_t upper, std::uint32_t lower) {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(upper) << 32 | lower);
}

/// The generator's state x is kept as a double, 2 + 2 x 2^-46: the fraction's 52 bits are those of 2^6 x.
SPEEDWELL_HD
inline std::uint64_t kept(std::uint64_t x) { return x << 6 | std::uint64_t{0x400} << 52; }
/// A step is one wide and one narrow product of 32 bits, since 5^13 has 31; what the exponent adds lies above the
/// fraction.
SPEEDWELL_HD
inline std::uint64_t stepped(std::uint64_t state) {
  constexpr std::uint32_t multiplier = 1220703125;
#ifdef __CUDA_ARCH__
  std::uint64_t next;  // left to itself the compiler takes products of 64 bits, each several of 32
  asm("{\n\t"
      ".reg .u32 lower, upper, carried;\n\t"
      ".reg .u64 wide;\n\t"
      "mov.b64 {lower, upper}, %1;\n\t"
      "mul.wide.u32 wide, lower, %2;\n\t"
      "mov.b64 {lower, carried}, wide;\n\t"
      "mad.lo.u32 upper, upper, %2, carried;\n\t"
      "lop3.b32 upper, upper, 0xfffff, 0x40000000, 0xea;\n\t"  // (upper & 0xfffff) | 0x40000000
      "mov.b64 %0, {lower, upper};\n\t"
      "}"
      : "=l"(next)
      : "l"(state), "r"(multiplier));
  return next;
#else
  return (state * multiplier & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{0x400} << 52;
#endif
}
/// 2 r - 1 of the number r with this state, exactly.
SPEEDWELL_HD
inline double centred(std::uint64_t state) { return __builtin_bit_cast(double, state) - 3.0; }

/// One of 64 equal parts of the numbers from one power of 2 to the next, and a c in it.
struct alignas(16) Segment {
  double inverse;    // 1/c
  double logarithm;  // 2 ln(1/c)
};
/// Powers of 2 in the table: from 2^-12, and 1 <= s < 2, of which s = 1 alone is accepted.
constexpr int segment_powers = 13, segments_of_power = 64, segment_count = segment_powers * segments_of_power;
/// A sum below this is too far out for the table, and its pair may lie in an annulus above 3, as only those with
/// s <= exp(-8) can: 3.5 pairs in 10^4, for the library's functions. In between the larger deviate is below 4.
constexpr std::uint32_t far_upper_word = 0x3f36a000;  // of 1.4140625 * 2^-12, above exp(-8)

/// The segment of 2^-12 <= s < 2 is that of its upper word, shifted, less that of 2^-12.
constexpr std::uint32_t segment_shift = 14, first_segment = 1011u << 6;
/// The table. c is the middle of a segment; beside 1 it is 1, on both sides, so that nothing cancels there, and the
/// logarithm of the one that begins with 1 is not 0 but so little that nobody sees it: s = 1 gives no 0/0.
std::vector<Segment> segments();

/// -2 ln(s) = 2 ln(1/c) - 2 ln(1 + r), r = s/c - 1, |r| <= 2^-7. The polynomial begins as the series does and is
/// otherwise that of least error, 9e-15; all its coefficients but one are multiples of 2^-22, which instructions can
/// hold.
SPEEDWELL_HD
inline double minus_twice_log(double s, const Segment& segment) {
  const double r = fma(s, segment.inverse, -1.0);
  double p = fma(r, -0x1.99a0ep-2, 0x1.00026p-1);
  p = fma(p, r, -0x1.5555554fee309p-1);
  p = fma(p, r, 1.0);
  p = fma(p, r, -2.0);
  return fma(p, r, segment.logarithm);
}

/// L / sqrt(L s) = sqrt(-2 ln(s) / s) from a = L s and `rough`, 1/sqrt(a) but for 2^-19 of it: with d = 1 - a rough^2
/// the inverse root is rough (1 + d/2 + 3/8 d^2 + ...), of which 2^-55 is left out.
SPEEDWELL_HD
inline double factor(double log, double a, double rough) {
  const double d = fma(-(a * rough), rough, 1.0), root = log * rough;
  return fma(root * d, fma(d, 3.0 / 8, 1.0 / 2), root);
}

}  // namespace speedwell::npb::ep

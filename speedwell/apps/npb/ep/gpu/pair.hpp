// Mathematics of a pair for the best GPU variant, for host and device, with few instructions and few of these in FP64:
// logarithms from a table of 64 reciprocals per power of 2 and a polynomial, inverse roots without a division.
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

/// The state x of the generator is stored as a double, 2 + 2 x 2^-46: the 52 bits of the fraction are those of 2^6 x.
SPEEDWELL_HD
inline std::uint64_t pack_state(std::uint64_t x) { return x << 6 | std::uint64_t{0x400} << 52; }
/// A step is one wide and one narrow 32-bit product, because 5^13 has 31 bits; the exponent of the state affects only
/// bits above the fraction.
SPEEDWELL_HD
inline std::uint64_t next_state(std::uint64_t state) {
  constexpr std::uint32_t multiplier = 1220703125;
#ifdef __CUDA_ARCH__
  std::uint64_t next;  // the compiler would use 64-bit products, which are several 32-bit ones
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
inline double centred_uniform(std::uint64_t state) { return __builtin_bit_cast(double, state) - 3.0; }

/// One of 64 equal segments between two powers of 2, with one c in it.
struct alignas(16) Segment {
  double inverse;    // 1/c
  double logarithm;  // 2 ln(1/c)
};
/// Powers of 2 in the table: from 2^-12 on; of the last one, 1 <= s < 2, only s = 1 is accepted.
constexpr int segment_powers = 13, segments_per_power = 64, segment_count = segment_powers * segments_per_power;
/// A smaller s is below the table's range. It is computed by library functions (3.5 pairs in 10^4), and its pair may
/// lie in an annulus above 3, which needs s <= exp(-8). For all other pairs the larger deviate is below 4.
constexpr std::uint32_t tail_upper_word = 0x3f36a000;  // 1.4140625 * 2^-12, above exp(-8)

/// The segment of 2^-12 <= s < 2 is its upper word shifted by segment_shift, minus first_segment.
constexpr std::uint32_t segment_shift = 14, first_segment = 1011u << 6;
/// The table. c is the middle of a segment, except for c = 1 in the two segments next to 1, where nothing cancels then.
/// The logarithm of the one that begins with 1 is a tiny positive number instead of 0, so that s = 1 does not lead to
/// 0/0.
std::vector<Segment> segments();

/// -2 ln(s) = 2 ln(1/c) - 2 ln(1 + r), r = s/c - 1, |r| <= 2^-7. The first coefficients of the polynomial are those of
/// the series, the others minimise the error, 9e-15; all coefficients but one are multiples of 2^-22, which
/// instructions can hold as immediates.
SPEEDWELL_HD
inline double minus_twice_log(double s, const Segment& segment) {
  const double r = fma(s, segment.inverse, -1.0);
  double p = fma(r, -0x1.99a0ep-2, 0x1.00026p-1);
  p = fma(p, r, -0x1.5555554fee309p-1);
  p = fma(p, r, 1.0);
  p = fma(p, r, -2.0);
  return fma(p, r, segment.logarithm);
}

/// L / sqrt(L s) = sqrt(-2 ln(s) / s) from a = L s and `estimate`, which is 1/sqrt(a) with a relative error of 2^-19:
/// with d = 1 - a estimate^2 the inverse root is estimate (1 + d/2 + 3/8 d^2 + ...), truncated with an error of 2^-55.
SPEEDWELL_HD
inline double factor(double log, double a, double estimate) {
  const double d = fma(-(a * estimate), estimate, 1.0), root = log * estimate;
  return fma(root * d, fma(d, 3.0 / 8, 1.0 / 2), root);
}

}  // namespace speedwell::npb::ep

// The mathematics of a pair in vectors: the generator, and sqrt(-2 ln(s) / s) without the library's logarithm, a root
// or a division. Internal linkage, as simd.hpp says.
#pragma once

#include <cstdint>

#include "speedwell/apps/npb/ep/block_kernel.hpp"
#include "speedwell/core/simd.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace speedwell::npb::ep {
namespace {

using core::simd::broadcast;
using core::simd::width;
using Doubles = core::simd::Vector<double>;
using Words = core::simd::Vector<std::uint64_t>;

template <class To, class From>
inline To same_bits(From v) {
  return reinterpret_cast<To>(v);
}

/// The generator's state x is kept as 2^6 x mod 2^64, whose lower 52 bits are those of a double's fraction. A step is a
/// product with 5^13, of 31 bits: two products of 32-bit halves, or the 64-bit product where there is one.
inline Words stepped(Words state) {
  constexpr std::uint64_t multiplier = 1220703125;
#if defined(SPEEDWELL_ISA_avx512) || !defined(__SSE2__)
  return state * multiplier;
#elif defined(SPEEDWELL_ISA_avx2)
  const auto factor = same_bits<__m256i>(broadcast(multiplier));
  const auto low = same_bits<Words>(_mm256_mul_epu32(same_bits<__m256i>(state), factor));
  return low + (same_bits<Words>(_mm256_mul_epu32(same_bits<__m256i>(state >> 32), factor)) << 32);
#else
  const auto factor = same_bits<__m128i>(broadcast(multiplier));
  const auto low = same_bits<Words>(_mm_mul_epu32(same_bits<__m128i>(state), factor));
  return low + (same_bits<Words>(_mm_mul_epu32(same_bits<__m128i>(state >> 32), factor)) << 32);
#endif
}

/// 2 r - 1 of the number r with this state, exactly: the fraction under the exponent of 2 is 2 + 2 r.
inline Doubles centred(Words state) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, exponent_of_two = std::uint64_t{0x400} << 52;
  return same_bits<Doubles>((state & fraction) | exponent_of_two) - 3.0;
}

/// Lane l is table[index[l] mod 16].
inline Doubles look_up(const double (&table)[16], Words index) {
#if defined(SPEEDWELL_ISA_avx512)
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), same_bits<__m512i>(index), _mm512_loadu_pd(table + 8));
#else
  Doubles v;
  for (int l = 0; l < width<double>; ++l) v[l] = table[index[l] & 15];
  return v;
#endif
}

/// About 1/sqrt(a), wrong by at most 1.5 * 2^-12 of it. a is a normal number of single precision.
inline Doubles rough_inverse_root(Doubles a) {
#if defined(SPEEDWELL_ISA_avx512)
  return _mm512_maskz_rsqrt14_pd(0xff, a);  // the unmasked one reads an undefined register, says GCC 12
#elif defined(SPEEDWELL_ISA_avx2)
  return _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(a)));
#elif defined(__SSE2__)
  return _mm_cvtps_pd(_mm_rsqrt_ps(_mm_cvtpd_ps(a)));
#else
  for (int l = 0; l < width<double>; ++l) a[l] = 1 / __builtin_sqrt(a[l]);
  return a;
#endif
}

/// -2 ln(s) for 2^-100 < s <= 1. With s = 2^k z, z in (11/16, 11/8], and c the entry of z's
/// sixteenth, it is -2 k ln 2 + 2 ln(1/c) - 2 ln(1 + r), r = z/c - 1, |r| <= 1/32. The sixteenths end, not begin, on
/// their bounds, and c = 1 in the one that ends on 1: near 1 nothing cancels and the result stays above 0.
/// The polynomial is that of degree 7 through -2 ln(1 + r) / r at Chebyshev's points: wrong by 5e-17 with the factor r.
inline Doubles minus_twice_log(Doubles s, const Sixteenths& table) {
  constexpr std::uint64_t lowest = 0x3fe6000000000001, bias = std::uint64_t{1023} << 52;
  constexpr std::uint64_t exponent = std::uint64_t{0xfff} << 52;
  const Words bits = same_bits<Words>(s), place = bits + (bias - lowest);
  const Words index = place >> 48;
  const Doubles z = same_bits<Doubles>(bits + bias - (place & exponent));
  // The exponent as a double: written into the fraction under the exponent of 2^52.
  const Doubles k = same_bits<Doubles>((place >> 52) | (std::uint64_t{0x433} << 52)) - (0x1p52 + 1023);
  const Doubles r = z * look_up(table.inverse, index) - 1.0;
  const Doubles whole = k * -1.3862943611198906 + look_up(table.logarithm, index);
  Doubles p = r * 0.2503910625335326 - 0.2861487907953144;
  p = p * r + 0.3333330945651252;
  p = p * r - 0.39999973470905953;
  p = p * r + 0.5000000000466408;
  p = p * r - 0.6666666667184883;
  p = p * r + 0.9999999999999986;
  p = p * r - 1.9999999999999984;
  return r * p + whole;
}

/// sqrt(-2 ln(s) / s) = L / sqrt(L s), L = -2 ln(s). With y0 near 1/sqrt(a) and d = 1 - a y0^2, 1/sqrt(a) is
/// y0 (1 - d)^(-1/2) = y0 (1 + d/2 + 3/8 d^2 + 5/16 d^3 + 35/128 d^4 + ...); |d| < 2^-10 leaves 2^-52 after four terms.
inline Doubles factor(Doubles s, const Sixteenths& table) {
  const Doubles log = minus_twice_log(s, table), a = log * s;
  const Doubles y = rough_inverse_root(a), root = log * y, d = 1.0 - a * y * y;
  Doubles p = d * (35.0 / 128) + 5.0 / 16;
  p = p * d + 3.0 / 8;
  p = p * d + 1.0 / 2;
  return root * d * p + root;
}

}  // namespace
}  // namespace speedwell::npb::ep

// SIMD mathematics of a pair: the generator, and sqrt(-2 ln(s) / s) without library functions, square roots or
// divisions. Everything has internal linkage, as in simd.hpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/npb/ep/block_kernel.hpp"
#include "speedwell/core/simd/simd.hpp"

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

/// The state x of the generator is stored as 2^6 x mod 2^64, whose lower 52 bits are the fraction of a double. A step
/// is a product with 5^13, which has 31 bits: two products of 32-bit halves, or a 64-bit product if there is such an
/// instruction.
inline Words next_state(Words state) {
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

/// 2 r - 1 of the number r with this state, exactly: the fraction with the exponent of 2 is 2 + 2 r.
inline Doubles centred_uniform(Words state) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, exponent_of_two = std::uint64_t{0x400} << 52;
  return same_bits<Doubles>((state & fraction) | exponent_of_two) - 3.0;
}

/// Returns table[index[l] mod 16] in lane l.
inline Doubles look_up(const double (&table)[16], Words index) {
#if defined(SPEEDWELL_ISA_avx512)
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), same_bits<__m512i>(index), _mm512_loadu_pd(table + 8));
#else
  Doubles v;
  for (int l = 0; l < width<double>; ++l) v[l] = table[index[l] & 15];
  return v;
#endif
}

/// Approximates 1/sqrt(a) with a relative error of at most 1.5 * 2^-12. a is a normal number in single precision.
inline Doubles approximate_inverse_root(Doubles a) {
#if defined(SPEEDWELL_ISA_avx512)
  return _mm512_maskz_rsqrt14_pd(0xff, a);  // GCC 12 warns that the unmasked one reads an undefined register
#elif defined(SPEEDWELL_ISA_avx2)
  return _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(a)));
#elif defined(__SSE2__)
  return _mm_cvtps_pd(_mm_rsqrt_ps(_mm_cvtpd_ps(a)));
#else
  for (int l = 0; l < width<double>; ++l) a[l] = 1 / __builtin_sqrt(a[l]);
  return a;
#endif
}

/// -2 ln(s) for 2^-100 < s <= 1. With s = 2^k z, z in (11/16, 11/8], and c the table entry of z's segment, it is -2 k
/// ln 2 + 2 ln(1/c) - 2 ln(1 + r), r = z/c - 1, |r| <= 1/32. Segments include their upper bounds, and c = 1 in the
/// segment that ends on 1: there is no cancellation near 1, and the result stays above 0. The polynomial of degree 7
/// interpolates -2 ln(1 + r) / r at the Chebyshev points; with the factor r its error is 5e-17.
inline Doubles minus_twice_log(Doubles s, const LogTable& table) {
  constexpr std::uint64_t lowest = 0x3fe6000000000001, bias = std::uint64_t{1023} << 52;
  constexpr std::uint64_t exponent = std::uint64_t{0xfff} << 52;
  const Words bits = same_bits<Words>(s), offset_bits = bits + (bias - lowest);
  const Words index = offset_bits >> 48;
  const Doubles z = same_bits<Doubles>(bits + bias - (offset_bits & exponent));
  // The exponent as a double: it is stored in the fraction of a number with the exponent of 2^52.
  const Doubles k = same_bits<Doubles>((offset_bits >> 52) | (std::uint64_t{0x433} << 52)) - (0x1p52 + 1023);
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
inline Doubles factor(Doubles s, const LogTable& table) {
  const Doubles log = minus_twice_log(s, table), a = log * s;
  const Doubles y = approximate_inverse_root(a), root = log * y, d = 1.0 - a * y * y;
  Doubles p = d * (35.0 / 128) + 5.0 / 16;
  p = p * d + 3.0 / 8;
  p = p * d + 1.0 / 2;
  return root * d * p + root;
}

}  // namespace
}  // namespace speedwell::npb::ep

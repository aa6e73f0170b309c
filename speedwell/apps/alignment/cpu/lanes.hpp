// Vectors of saturating signed integers, for files compiled once for each instruction set (core/isa.hpp): what the
// alignment of one pair needs of SSE2, SSE4.1, AVX2 and AVX-512BW, and the same in plain vectors elsewhere.
//
// A lane of 8 or 16 bits saturates at both ends, and its least value is where H is 0 (or the tile's base). One of 32
// bits never comes near its greatest value; its 0 is 0, and sums and differences are cut off there.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::alignment::SPEEDWELL_ISA {
namespace {

using core::simd::broadcast;
using core::simd::max;
using core::simd::Vector;
using core::simd::vector_bytes;
using core::simd::width;

template <class Lane>
struct Lanes;
template <>
struct Lanes<std::int8_t> {
  static constexpr std::int64_t minimum = -128, greatest = 127;
};
template <>
struct Lanes<std::int16_t> {
  static constexpr std::int64_t minimum = -32768, greatest = 32767;
};
template <>
struct Lanes<std::int32_t> {
  static constexpr std::int64_t minimum = 0, greatest = 2147483647;
};
#if defined(SPEEDWELL_ISA_avx512)
typedef __m512i Bits;
inline Bits add_s8(Bits a, Bits b) { return _mm512_adds_epi8(a, b); }
inline Bits add_s16(Bits a, Bits b) { return _mm512_adds_epi16(a, b); }
inline Bits subtract_s8(Bits a, Bits b) { return _mm512_subs_epi8(a, b); }
inline Bits subtract_s16(Bits a, Bits b) { return _mm512_subs_epi16(a, b); }
inline bool any_above(Vector<std::int8_t> a, Vector<std::int8_t> b) {
  return _mm512_cmpgt_epi8_mask((Bits)a, (Bits)b) != 0;
}
inline bool any_above(Vector<std::int16_t> a, Vector<std::int16_t> b) {
  return _mm512_cmpgt_epi16_mask((Bits)a, (Bits)b) != 0;
}
inline bool any_above(Vector<std::int32_t> a, Vector<std::int32_t> b) {
  return _mm512_cmpgt_epi32_mask((Bits)a, (Bits)b) != 0;
}
// The vector `bytes` bytes further up, with those of `fill` below. (Masked forms of ones: GCC 12 warns of the plain
// ones' undefined sources.)
template <int bytes>
inline Bits shifted_up(Bits v, Bits fill) {
  if constexpr (bytes == 32) {
    return _mm512_maskz_alignr_epi64(0xff, v, fill, 4);
  } else {
    const Bits below = _mm512_maskz_alignr_epi64(0xff, v, fill, 6);
    if constexpr (bytes == 16)
      return below;
    else
      return _mm512_alignr_epi8(v, below, 16 - bytes);
  }
}
#elif defined(SPEEDWELL_ISA_avx2)
typedef __m256i Bits;
inline Bits add_s8(Bits a, Bits b) { return _mm256_adds_epi8(a, b); }
inline Bits add_s16(Bits a, Bits b) { return _mm256_adds_epi16(a, b); }
inline Bits subtract_s8(Bits a, Bits b) { return _mm256_subs_epi8(a, b); }
inline Bits subtract_s16(Bits a, Bits b) { return _mm256_subs_epi16(a, b); }
template <class V>
inline bool any_above(V a, V b) {
  return _mm256_movemask_epi8((Bits)(a > b)) != 0;
}
template <int bytes>
inline Bits shifted_up(Bits v, Bits fill) {
  const Bits below = _mm256_permute2x128_si256(fill, v, 0x21);  // fill's upper half, v's lower half
  if constexpr (bytes == 16)
    return below;
  else
    return _mm256_alignr_epi8(v, below, 16 - bytes);
}
#elif defined(__x86_64__)
typedef __m128i Bits;
inline Bits add_s8(Bits a, Bits b) { return _mm_adds_epi8(a, b); }
inline Bits add_s16(Bits a, Bits b) { return _mm_adds_epi16(a, b); }
inline Bits subtract_s8(Bits a, Bits b) { return _mm_subs_epi8(a, b); }
inline Bits subtract_s16(Bits a, Bits b) { return _mm_subs_epi16(a, b); }
template <class V>
inline bool any_above(V a, V b) {
  return _mm_movemask_epi8((Bits)(a > b)) != 0;
}
template <int bytes>
inline Bits shifted_up(Bits v, Bits fill) {
  return _mm_or_si128(_mm_slli_si128(v, bytes), _mm_srli_si128(fill, 16 - bytes));
}
#else
typedef Vector<std::int8_t> Bits;
// Saturated sum: the exact one has the sign of its terms where they agree.
template <class V, class Element>
inline V add_saturated(V a, V b, Element minimum, Element greatest) {
  typedef Vector<std::make_unsigned_t<Element> > Wrapping;
  const V sum = (V)((Wrapping)a + (Wrapping)b);
  const V up = (b > 0) & (sum < a), down = (b < 0) & (sum > a);
  return up ? V{} + greatest : down ? V{} + minimum : sum;
}
inline Bits add_s8(Bits a, Bits b) { return add_saturated<Bits, std::int8_t>(a, b, -128, 127); }
inline Bits add_s16(Bits a, Bits b) {
  return (Bits)add_saturated<Vector<std::int16_t>, std::int16_t>((Vector<std::int16_t>)a, (Vector<std::int16_t>)b,
                                                                 -32768, 32767);
}
inline Bits subtract_s8(Bits a, Bits b) { return add_s8(a, -b); }  // costs are not the least value
inline Bits subtract_s16(Bits a, Bits b) { return add_s16(a, (Bits)(-(Vector<std::int16_t>)b)); }
template <class V>
inline bool any_above(V a, V b) {
  const auto above = (Bits)(a > b);
  for (int k = 0; k < vector_bytes; ++k)
    if (above[k]) return true;
  return false;
}
template <int bytes>
inline Bits shifted_up(Bits v, Bits fill) {
  Bits shifted = fill;
  for (int k = bytes; k < vector_bytes; ++k) shifted[k] = v[k - bytes];
  return shifted;
}
#endif

/// v + score, cut off at both ends of the lane.
template <class Lane>
inline Vector<Lane> plus(Vector<Lane> v, Vector<Lane> score) {
  typedef Vector<Lane> V;
  if constexpr (sizeof(Lane) == 1)
    return (V)add_s8((Bits)v, (Bits)score);
  else if constexpr (sizeof(Lane) == 2)
    return (V)add_s16((Bits)v, (Bits)score);
  else
    return max(v + score, V{});
}
/// v - cost, likewise; cost >= 0.
template <class Lane>
inline Vector<Lane> minus(Vector<Lane> v, Vector<Lane> cost) {
  typedef Vector<Lane> V;
  if constexpr (sizeof(Lane) == 1)
    return (V)subtract_s8((Bits)v, (Bits)cost);
  else if constexpr (sizeof(Lane) == 2)
    return (V)subtract_s16((Bits)v, (Bits)cost);
  else
    return max(v - cost, V{});
}

/// Lane k gets lane k - count; the first ones the lane's least value.
template <class Lane, int count>
inline Vector<Lane> shifted(Vector<Lane> v) {
  return (Vector<Lane>)shifted_up<count* static_cast<int>(sizeof(Lane))>((Bits)v,
                                                                         (Bits)broadcast<Lane>(Lanes<Lane>::minimum));
}

/// Reads a copy in memory, because indexing `v` itself would keep `v` in memory instead of a register.
template <class Lane>
__attribute__((noinline)) inline Lane largest(Vector<Lane> v) {
  Lane lanes[width<Lane>];
  __builtin_memcpy(lanes, &v, sizeof v);
  Lane maximum = lanes[0];
  for (const Lane lane : lanes) maximum = lane > maximum ? lane : maximum;
  return maximum;
}

/// scores[k] = row[codes[k]] of `count` codes below 32, a multiple of 64; scores and codes are aligned to 64 bytes.
inline void look_up(const std::int8_t* row, const std::uint8_t* codes, std::int8_t* scores, std::size_t count) {
#if defined(SPEEDWELL_ISA_avx512) || defined(SPEEDWELL_ISA_avx2)
  const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)row));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)(row + 16)));
  for (std::size_t k = 0; k < count; k += 32) {
    const __m256i code = _mm256_load_si256((const __m256i*)(codes + k));
    // Bit 4 of a code, moved to bit 7, chooses between the halves of the row.
    _mm256_store_si256((__m256i*)(scores + k),
                       _mm256_blendv_epi8(_mm256_shuffle_epi8(low, code), _mm256_shuffle_epi8(high, code),
                                          _mm256_slli_epi16(code, 3)));
  }
#elif defined(SPEEDWELL_ISA_sse41)
  const __m128i low = _mm_loadu_si128((const __m128i*)row), high = _mm_loadu_si128((const __m128i*)(row + 16));
  for (std::size_t k = 0; k < count; k += 16) {
    const __m128i code = _mm_load_si128((const __m128i*)(codes + k));
    _mm_store_si128((__m128i*)(scores + k), _mm_blendv_epi8(_mm_shuffle_epi8(low, code), _mm_shuffle_epi8(high, code),
                                                            _mm_slli_epi16(code, 3)));
  }
#else
  for (std::size_t k = 0; k < count; ++k) scores[k] = row[codes[k]];
#endif
}

}  // namespace
}  // namespace speedwell::alignment::SPEEDWELL_ISA

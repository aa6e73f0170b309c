// Lanes in which scores are stored from the least value of the type up, for files compiled once for each instruction
// set (core/isa.hpp), and the residues of one sequence in each lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::alignment {
namespace {

/// Arithmetic is unsigned, which wraps; comparison is in the signedness for which SSE2 has a maximum.
template <class Lane>
struct Wrapping;
template <>
struct Wrapping<std::uint8_t> {
  typedef core::simd::Vector<std::uint8_t> Unsigned, Compared;
  static constexpr std::int64_t minimum = 0, greatest = 255;
};
template <>
struct Wrapping<std::uint16_t> {
  typedef core::simd::Vector<std::uint16_t> Unsigned;
  typedef core::simd::Vector<std::int16_t> Compared;
  static constexpr std::int64_t minimum = -32768, greatest = 32767;
};
template <>
struct Wrapping<std::uint32_t> {
  typedef core::simd::Vector<std::uint32_t> Unsigned;
  typedef core::simd::Vector<std::int32_t> Compared;
  static constexpr std::int64_t minimum = -2147483648LL, greatest = 2147483647LL;
};

template <class Lane, class V>
inline V max(V a, V b) {
  typedef typename Wrapping<Lane>::Compared C;
  return (V)core::simd::max((C)a, (C)b);
}

constexpr int gathered_columns = 4;

/// Residues of columns first … first + 3 of every lane, column by column; `padding` beyond a sequence's end. Four at a
/// time go into an integer, then one byte of each out of it.
template <int lanes>
inline void gather_codes(const std::uint8_t* const* sequences, const std::size_t* lengths, std::uint8_t padding,
                         std::size_t first, std::uint8_t* codes) {
  constexpr bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  alignas(64) std::uint32_t quads[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    const std::size_t length = lengths[lane];
    std::uint32_t quad = padding * 0x01010101u;
    if (first + gathered_columns <= length)
      __builtin_memcpy(&quad, sequences[lane] + first, gathered_columns);
    else if (first < length)
      __builtin_memcpy(&quad, sequences[lane] + first, length - first);
    quads[lane] = quad;
  }
  for (int c = 0; c < gathered_columns; ++c)
    for (int lane = 0; lane < lanes; ++lane)
      codes[c * lanes + lane] =
          static_cast<std::uint8_t>(quads[lane] >> 8 * (little_endian ? c : gathered_columns - 1 - c));
}

}  // namespace
}  // namespace speedwell::alignment

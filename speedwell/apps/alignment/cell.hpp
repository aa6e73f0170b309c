// The affine-gap recurrence of one cell as the GPU search computes it, for two 16-bit scores in one word and for one
// 32-bit score. Host code takes the same steps one half at a time, so that the kernel's logic is tested without a GPU.
//
// With o = gap_open + gap_extend and e = gap_extend (a gap of length k costs gap_open + k e = o + (k - 1) e):
//   E(i,j) = max(E(i,j-1) - e, H(i,j-1))        the best score at the start of, or along, a gap in the query,
//   F(i,j) = max(F(i-1,j) - e, H(i-1,j))        the same for a gap in the subject, both before o is paid,
//   H(i,j) = max(H(i-1,j-1) + s(i,j), max(E, F, o) - o).
// The o among the three is the clamp at zero. Paying o once, after the maximum, saves an addition; and because that
// maximum is never below o, subtracting o from both halves is one 32-bit addition without a borrow between them.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::alignment {

/// What the recurrence needs besides the scores, in the form of the arithmetic that uses it (see Pair16, Single32).
struct CellConstants {
  std::uint32_t minus_extend;  // -e
  std::uint32_t minus_open;    // -o, for a plain 32-bit addition
  std::uint32_t floor;         // o
  // 1, 2^16 and -2^16 as values that the compiler does not know: it then leaves a * one + b and a * 2^16 + b to the
  // multiply-add units, which run beside the integer units that have all the other work.
  std::uint32_t one = 1, up16 = 0x10000u, minus_up16 = 0xffff0000u;
};

/// Four words, loaded at once: the scores of eight query letters with one subject letter.
struct alignas(16) Words4 {
  std::uint32_t w[4];
};
struct alignas(8) Words2 {
  std::uint32_t w[2];
};

namespace detail {
SPEEDWELL_HD
inline std::int32_t low(std::uint32_t x) { return static_cast<std::int16_t>(x & 0xffffu); }
SPEEDWELL_HD
inline std::int32_t high(std::uint32_t x) { return static_cast<std::int16_t>(x >> 16); }
SPEEDWELL_HD
inline std::uint32_t pack(std::int32_t lo, std::int32_t hi) {
  return (static_cast<std::uint32_t>(lo) & 0xffffu) | (static_cast<std::uint32_t>(hi) << 16);
}
/// The low 16 bits as a number: a sum beyond 16 bits wraps, as on the device.
SPEEDWELL_HD
inline std::int32_t wrap16(std::int32_t x) { return static_cast<std::int16_t>(static_cast<std::uint32_t>(x)); }
SPEEDWELL_HD
inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
}  // namespace detail

/// Two signed 16-bit scores in a word: one query against two subjects. A score above `limit(highest)` means that the
/// pair has to be computed again in 32 bits. All H up to there are right: H grows by at most `highest` a cell, so no
/// sum can have wrapped before an H above the limit was seen; and wrapped halves never touch their neighbours.
struct Pair16 {
  static constexpr int subjects = 2;
  static constexpr std::int32_t largest = 32767;
  static constexpr std::int32_t limit(std::int32_t highest) { return largest - (highest > 0 ? highest : 0); }

  /// Costs beyond 32767 are as good as infinite here and are cut to it: max(E, F, o) - o is 0 then, as it should be.
  static CellConstants constants(std::int64_t open, std::int64_t extend) {
    const std::int64_t o = open + extend < largest ? open + extend : largest;
    const std::int64_t e = extend < largest ? extend : largest;
    const auto both = static_cast<std::uint32_t>(o * 0x10001);
    return {.minus_extend = detail::pack(static_cast<std::int32_t>(-e), static_cast<std::int32_t>(-e)),
            .minus_open = 0u - both,
            .floor = both};
  }
  /// max(a + b, c)
  static SPEEDWELL_HD
  std::uint32_t add_max(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
    return __viaddmax_s16x2(a, b, c);
#else
    using namespace detail;
    return pack(larger(wrap16(low(a) + low(b)), low(c)), larger(wrap16(high(a) + high(b)), high(c)));
#endif
  }
  static SPEEDWELL_HD
  std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
    return __vimax3_s16x2(a, b, c);
#else
    using namespace detail;
    return pack(larger(larger(low(a), low(b)), low(c)), larger(larger(high(a), high(b)), high(c)));
#endif
  }
  /// Scores of two query rows: `a` holds those of the first subject's letter, `b` those of the second's, a row to a
  /// half.
  static SPEEDWELL_HD
  void scores(std::uint32_t a, std::uint32_t b, const CellConstants& k, std::uint32_t& row0, std::uint32_t& row1) {
#ifdef __CUDA_ARCH__
    row1 = __byte_perm(a, b, 0x7632);
#else
    row1 = (a >> 16) | (b & 0xffff0000u);
#endif
    row0 = row1 * k.minus_up16 + (b * k.up16 + a);  // (a & 0xffff) | (b << 16): what both add to the high half cancels
  }
  /// Byte offsets of the letters of one column, first and second subject, in a profile with rows of `stride` bytes.
  static SPEEDWELL_HD
  std::uint32_t letters(const std::uint8_t* column) { return *reinterpret_cast<const std::uint16_t*>(column); }
  static SPEEDWELL_HD
  std::uint32_t first_letter(std::uint32_t letters) { return letters & 0xffu; }
  static SPEEDWELL_HD
  std::uint32_t second_letter(std::uint32_t letters) { return letters >> 8; }
  static SPEEDWELL_HD
  std::int32_t score(std::uint32_t value, int subject) {
    return subject == 0 ? detail::low(value) : detail::high(value);
  }
};

/// One signed 32-bit score: one query against one subject. Exact while the highest score times the shorter length is
/// below 2^31.
struct Single32 {
  static constexpr int subjects = 1;
  static constexpr std::int32_t largest = 2147483647;

  static CellConstants constants(std::int64_t open, std::int64_t extend) {
    const std::int64_t o = open + extend < largest ? open + extend : largest;
    const std::int64_t e = extend < largest ? extend : largest;
    return {.minus_extend = static_cast<std::uint32_t>(-e),
            .minus_open = static_cast<std::uint32_t>(-o),
            .floor = static_cast<std::uint32_t>(o)};
  }
  static SPEEDWELL_HD
  std::uint32_t add_max(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
#else
    return static_cast<std::uint32_t>(detail::larger(static_cast<std::int32_t>(a + b), static_cast<std::int32_t>(c)));
#endif
  }
  static SPEEDWELL_HD
  std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__vimax3_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
#else
    using detail::larger;
    return static_cast<std::uint32_t>(
        larger(larger(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)), static_cast<std::int32_t>(c)));
#endif
  }
  static SPEEDWELL_HD
  void scores(std::uint32_t a, std::uint32_t, const CellConstants&, std::uint32_t& row0, std::uint32_t& row1) {
    row0 = static_cast<std::uint32_t>(detail::low(a));
    row1 = static_cast<std::uint32_t>(detail::high(a));
  }
  static SPEEDWELL_HD
  std::uint32_t letters(const std::uint8_t* column) { return *column; }
  static SPEEDWELL_HD
  std::uint32_t first_letter(std::uint32_t letters) { return letters; }
  static SPEEDWELL_HD
  std::uint32_t second_letter(std::uint32_t letters) { return letters; }
  static SPEEDWELL_HD
  std::int32_t score(std::uint32_t value, int) { return static_cast<std::int32_t>(value); }
};

}  // namespace speedwell::alignment

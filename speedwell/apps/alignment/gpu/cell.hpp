// The affine-gap recurrence of one cell as the GPU search computes it: for two 11-bit scores in one word (Pair11, the
// fastest), two 16-bit scores in one word (Pair16) and one 32-bit score (Single32). Host code executes the same steps
// one half at a time, so that the kernel's logic is tested without a GPU.
//
// With o = gap_open + gap_extend and e = gap_extend (a gap of length k costs gap_open + k e = o + (k - 1) e), Pair16
// and Single32 compute
//   E(i,j) = max(E(i,j-1) - e, H(i,j-1))        the best score at the start of, or along, a gap in the query,
//   F(i,j) = max(F(i-1,j) - e, H(i-1,j))        the same for a gap in the subject, both before o is paid,
//   H(i,j) = max(H(i-1,j-1) + s(i,j), max(E, F, o) - o).
// The o in the maximum is the clamp at zero. Subtracting o once, after the maximum, saves an addition; and because that
// maximum is never below o, subtracting o from both halves is one 32-bit addition without a borrow between them.
//
// Pair11 stores G = H - o instead of H, and E and F with o subtracted:
//   E(i,j) = max(E(i,j-1) - e, G(i,j-1), 0),    F(i,j) = max(F(i-1,j) - e, G(i-1,j), 0),
//   H(i,j) = max(G(i-1,j-1) + (s(i,j) + o), E, F),    G(i,j) = H(i,j) - o.
// (A negative E or F may be replaced by zero, because it does not affect H.) E, F and H take one instruction each on
// the integer units. The two additions use the half-precision units, which are otherwise idle: the bits of a
// half-precision number k 2^-24 are those of the integer k for 0 <= k < 2048, for subnormal numbers and the first
// normal ones alike, and for -k they are k with the sign bit, so that halves add as exact integers while results stay
// below 2048. The maxima compare the same bits as 16-bit integers: a negative half is then some negative integer, not
// in order, but below the zero in the maximum.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::alignment {

/// The constants of the recurrence in the representation of the arithmetic that uses them (see Pair16, Single32).
struct CellConstants {
  std::uint32_t minus_extend;  // -e
  std::uint32_t minus_open;    // -o, for a plain 32-bit addition; for Pair11, in halves
  std::uint32_t floor;         // o
  // 1, 2^16 and -2^16 as values that the compiler does not know: it then computes a * one + b and a * 2^16 + b on the
  // multiply-add units, which run concurrently with the integer units that have all other work.
  std::uint32_t one = 1, up16 = 0x10000u, minus_up16 = 0xffff0000u;
};

/// Four words, loaded at once: the scores of eight query residues with one subject residue.
struct alignas(16) Words4 {
  std::uint32_t w[4];
};
struct alignas(8) Words2 {
  std::uint32_t w[2];
};

/// The values that a cell passes to the row below: the result of cell() (H or G) and F.
struct alignas(8) Border {
  std::uint32_t h = 0, f = 0;
};

namespace detail {
SPEEDWELL_HD
inline std::int32_t low(std::uint32_t x) { return static_cast<std::int16_t>(x & 0xffffu); }
SPEEDWELL_HD
inline std::int32_t high(std::uint32_t x) { return static_cast<std::int16_t>(x >> 16); }
SPEEDWELL_HD
constexpr std::uint32_t pack(std::int32_t lo, std::int32_t hi) {
  return (static_cast<std::uint32_t>(lo) & 0xffffu) | (static_cast<std::uint32_t>(hi) << 16);
}
/// The low 16 bits as a number: sums that exceed 16 bits wrap, as on the device.
SPEEDWELL_HD
inline std::int32_t wrap16(std::int32_t x) { return static_cast<std::int16_t>(static_cast<std::uint32_t>(x)); }
SPEEDWELL_HD
inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }

// The cell of Pair16 and Single32.
template <class Arithmetic>
SPEEDWELL_HD
std::uint32_t plain_cell(std::uint32_t& e, std::uint32_t& f, std::uint32_t left, std::uint32_t above,
                         std::uint32_t diagonal, std::uint32_t score, const CellConstants& k, std::uint32_t& h) {
  e = Arithmetic::add_max(e, k.minus_extend, left);
  f = Arithmetic::add_max(f, k.minus_extend, above);
  const std::uint32_t gap = Arithmetic::max3(e, f, k.floor) * k.one + k.minus_open;
  return h = Arithmetic::add_max(diagonal, score, gap);
}

// Half-precision numbers in units of 2^-24, the smallest: exact in 64 bits, and converted back with the device's
// rounding, to the nearest and ties to even. Only finite ones.
inline std::int64_t units_of_half(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31u);
  const std::int64_t mantissa = bits & 1023u;
  const std::int64_t units = exponent == 0 ? mantissa : (mantissa + 1024) << (exponent - 1);
  return bits & 0x8000u ? -units : units;
}
inline std::uint32_t half_of_units(std::int64_t units) {
  const std::uint32_t sign = units < 0 ? 0x8000u : 0u;
  std::int64_t rest = units < 0 ? -units : units;
  int exponent = 0;  // exponent of the remaining unit
  for (std::int64_t bound = 2048; rest >= bound; bound *= 2) ++exponent;
  if (exponent > 0) {
    const std::int64_t step = std::int64_t{1} << exponent, over = rest % step;
    rest /= step;
    if (2 * over > step || (2 * over == step && rest % 2 != 0)) ++rest;
  }
  // Numbers from 1024 on have the hidden bit and the mantissa: adding them to the exponent field carries correctly.
  const std::int64_t bits = (std::int64_t{exponent} << 10) + rest;
  return sign | static_cast<std::uint32_t>(bits < 0x7c00 ? bits : 0x7c00);
}
}  // namespace detail

/// Two signed 16-bit scores in a word: one query against two subjects. A score above `limit(highest)` means that the
/// pair has to be recomputed in 32 bits. All H up to that point are correct: H increases by at most `highest` per cell,
/// so that no sum can have wrapped before an H above the limit occurred; and wrapped halves never affect the other
/// half.
struct Pair16 {
  static constexpr int subjects = 2;
  static constexpr std::int32_t largest = 32767;
  static constexpr std::int32_t limit(std::int32_t highest) { return largest - (highest > 0 ? highest : 0); }

  /// Costs above 32767 are equivalent to infinite ones and are truncated: max(E, F, o) - o is then 0, as required.
  static SPEEDWELL_HD
  constexpr CellConstants constants(std::int64_t open, std::int64_t extend) {
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
  /// The border above the first row, and H of the column before the first.
  static SPEEDWELL_HD
  constexpr Border top(const CellConstants&) { return {0, 0}; }
  /// A score as a half word of the profile.
  static SPEEDWELL_HD
  constexpr std::uint16_t profile_half(int score, const CellConstants&) { return static_cast<std::uint16_t>(score); }
  /// Scores of two query rows. From the profile: `a` holds those of the first subject's residue, `b` those of the
  /// second subject's, one row per half.
  struct Scores {
    std::uint32_t row[2];
  };
  static SPEEDWELL_HD
  Scores scores(std::uint32_t a, std::uint32_t b, const CellConstants& k) {
#ifdef __CUDA_ARCH__
    const std::uint32_t row1 = __byte_perm(a, b, 0x7632);
#else
    const std::uint32_t row1 = (a >> 16) | (b & 0xffff0000u);
#endif
    // (a & 0xffff) | (b << 16): the additions to the high half cancel
    return {{row1 * k.minus_up16 + (b * k.up16 + a), row1}};
  }
  /// One cell. `left` and `above` are the results of cell() there, `diagonal` its result to the left of `above`; e and
  /// f are replaced, and h is the cell's H.
  template <int Row>
  static SPEEDWELL_HD
  std::uint32_t cell(std::uint32_t& e, std::uint32_t& f, std::uint32_t left, std::uint32_t above,
                     std::uint32_t diagonal, const Scores& s, const CellConstants& k, std::uint32_t& h) {
    return detail::plain_cell<Pair16>(e, f, left, above, diagonal, s.row[Row], k, h);
  }
  /// H of a result of cell().
  static SPEEDWELL_HD
  std::uint32_t h_of(std::uint32_t returned, const CellConstants&) { return returned; }
  /// The residues of two columns, two bytes per column: those of the first and the second subject in the first column,
  /// then in the second.
  static SPEEDWELL_HD
  std::uint32_t residues(const std::uint8_t* columns) { return *reinterpret_cast<const std::uint32_t*>(columns); }
  static SPEEDWELL_HD
  std::int32_t score(std::uint32_t value, int subject) {
    return subject == 0 ? detail::low(value) : detail::high(value);
  }
};

/// Two scores below 2048 in a word: one query against two subjects. A score above `limit(highest)` means that the pair
/// has to be recomputed in 32 bits. As for Pair16, the first H above the limit is correct; the following ones may be
/// wrong, but do not decrease the maximum, and the halves do not affect each other.
struct Pair11 {
  static constexpr int subjects = 2;
  static constexpr std::int32_t largest = 2047;
  static constexpr std::int32_t limit(std::int32_t highest) { return largest - (highest > 0 ? highest : 0); }
  /// Whether every G + (s + o) for H up to the limit is exact, with scores from -128 to 127.
  static constexpr bool serves(std::int64_t open, std::int64_t extend) { return open + extend <= 1024; }

  /// Costs for which serves() is true.
  static SPEEDWELL_HD
  constexpr CellConstants constants(std::int64_t open, std::int64_t extend) {
    const auto o = static_cast<std::int32_t>(open + extend), e = static_cast<std::int32_t>(extend);
    return {.minus_extend = detail::pack(-e, -e), .minus_open = detail::pack(0x8000 | o, 0x8000 | o), .floor = 0};
  }
  static SPEEDWELL_HD
  constexpr Border top(const CellConstants& k) { return {k.minus_open, 0}; }  // H = 0
  /// s + o, as a half: o is in the low bits of minus_open.
  static SPEEDWELL_HD
  constexpr std::uint16_t profile_half(int score, const CellConstants& k) {
    const int sum = score + static_cast<int>(k.minus_open & 0x7fffu);
    return static_cast<std::uint16_t>(sum < 0 ? 0x8000 | -sum : sum);
  }

  static SPEEDWELL_HD
  std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return Pair16::max3(a, b, c); }
  /// max(a + b, c, 0)
  static SPEEDWELL_HD
  std::uint32_t add_max(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
    return __viaddmax_s16x2_relu(a, b, c);
#else
    return Pair16::max3(Pair16::add_max(a, b, c), 0, 0);
#endif
  }
  /// The sum a + b of half-precision numbers.
  static SPEEDWELL_HD
  std::uint32_t add(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
    std::uint32_t sum;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
#else
    const auto half = [](std::uint32_t x, std::uint32_t y) {
      return detail::half_of_units(detail::units_of_half(x) + detail::units_of_half(y));
    };
    return half(a & 0xffffu, b & 0xffffu) | half(a >> 16, b >> 16) << 16;
#endif
  }

  /// As in the profile: the first subject's scores of two rows, and the second subject's.
  struct Scores {
    std::uint32_t first, second;
  };
  static SPEEDWELL_HD
  Scores scores(std::uint32_t a, std::uint32_t b, const CellConstants&) { return {a, b}; }
  /// Adds the scores of row Row to `to`, one subject per half. On the device these are two multiply-adds of the
  /// half-precision units, by (1, 0) and (0, 1), which select the row: no instruction combines the scores in a word.
  template <int Row>
  static SPEEDWELL_HD
  std::uint32_t add_scores(const Scores& s, std::uint32_t to) {
#ifdef __CUDA_ARCH__
    std::uint32_t sum;
    asm("{\n\t.reg .b16 a0, a1, b0, b1;\n\t.reg .b32 a, b;\n\t"
        "mov.b32 {a0, a1}, %1;\n\tmov.b32 {b0, b1}, %2;\n\t"
        "mov.b32 a, {a%4, a%4};\n\tmov.b32 b, {b%4, b%4};\n\t"
        "fma.rn.f16x2 b, b, %5, %3;\n\tfma.rn.f16x2 %0, a, %6, b;\n\t}"
        : "=r"(sum)
        : "r"(s.first), "r"(s.second), "r"(to), "n"(Row), "r"(0x3c000000u), "r"(0x00003c00u));
    return sum;
#else
    const std::uint32_t a = Row == 0 ? s.first & 0xffffu : s.first >> 16;
    const std::uint32_t b = Row == 0 ? s.second & 0xffffu : s.second >> 16;
    return add(to, a | b << 16);
#endif
  }
  template <int Row>
  static SPEEDWELL_HD
  std::uint32_t cell(std::uint32_t& e, std::uint32_t& f, std::uint32_t left, std::uint32_t above,
                     std::uint32_t diagonal, const Scores& s, const CellConstants& k, std::uint32_t& h) {
    e = add_max(e, k.minus_extend, left);
    f = add_max(f, k.minus_extend, above);
    h = max3(add_scores<Row>(s, diagonal), e, f);
    return add(h, k.minus_open);
  }
  static SPEEDWELL_HD
  std::uint32_t h_of(std::uint32_t returned, const CellConstants& k) {
    return add(returned, k.minus_open ^ 0x80008000u);  // o with the other sign
  }
  static SPEEDWELL_HD
  std::uint32_t residues(const std::uint8_t* columns) { return Pair16::residues(columns); }
  static SPEEDWELL_HD
  std::int32_t score(std::uint32_t value, int subject) { return Pair16::score(value, subject); }
};

/// One signed 32-bit score: one query against one subject. Exact if the highest score times the shorter length is below
/// 2^31.
struct Single32 {
  static constexpr int subjects = 1;
  static constexpr std::int32_t largest = 2147483647;

  static SPEEDWELL_HD
  constexpr CellConstants constants(std::int64_t open, std::int64_t extend) {
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
  constexpr Border top(const CellConstants&) { return {0, 0}; }
  static SPEEDWELL_HD
  constexpr std::uint16_t profile_half(int score, const CellConstants&) { return static_cast<std::uint16_t>(score); }
  struct Scores {
    std::uint32_t row[2];
  };
  static SPEEDWELL_HD
  Scores scores(std::uint32_t a, std::uint32_t, const CellConstants&) {
    return {{static_cast<std::uint32_t>(detail::low(a)), static_cast<std::uint32_t>(detail::high(a))}};
  }
  template <int Row>
  static SPEEDWELL_HD
  std::uint32_t cell(std::uint32_t& e, std::uint32_t& f, std::uint32_t left, std::uint32_t above,
                     std::uint32_t diagonal, const Scores& s, const CellConstants& k, std::uint32_t& h) {
    return detail::plain_cell<Single32>(e, f, left, above, diagonal, s.row[Row], k, h);
  }
  static SPEEDWELL_HD
  std::uint32_t h_of(std::uint32_t returned, const CellConstants&) { return returned; }
  static SPEEDWELL_HD
  std::uint32_t residues(const std::uint8_t* columns) {
    return columns[0] | static_cast<std::uint32_t>(columns[2]) << 16;
  }
  static SPEEDWELL_HD
  std::int32_t score(std::uint32_t value, int) { return static_cast<std::int32_t>(value); }
};

}  // namespace speedwell::alignment

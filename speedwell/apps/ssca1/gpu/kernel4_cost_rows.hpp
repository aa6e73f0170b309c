// Kernel 4 on a GPU: the work of one thread with two pairs of members, one in each half of a word, and the row of the
// table in registers. With space cost g, the stored value is Z(x,y) = V(x,y) + g (x - y) instead of V(x,y), so that
// only one of the two kinds of spaces has a cost:
//   Z(x,y) = min(Z(x-1,y-1) + cost(x,y), Z(x-1,y) + 2 g, Z(x,y-1)),    Z(x,0) = 2 g x,  Z(0,y) = 0.
// Z is never negative, because V(x,y) >= g |x - y|. A symbol has 2 bits, shifted so that the exclusive or of two
// different ones is at least the cost of a mismatch: the minimum of the two is the cost of the pair.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/cells.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// The numbers of columns for which the kernel is compiled.
inline constexpr std::array<int, 5> cost_row_lengths = {24, 32, 48, 64, 96};
inline constexpr int symbols_per_word = 16;

struct DeviceMember {
  std::uint32_t first_word = 0;
  std::int32_t length = 0;
};
struct DeviceSet {
  std::int64_t first_member = 0, first_pair = 0;  // indices among those of all sets
  std::int32_t members = 0;
};
/// Consecutive pairs of one set, in the order of Differences::upper.
struct PairTask {
  std::int32_t set = 0;
  std::int64_t first = 0;
};

struct PairCosts {
  const std::uint32_t* words = nullptr;
  const DeviceMember* members = nullptr;
  const DeviceSet* sets = nullptr;
  std::uint16_t* differences = nullptr;
  std::int32_t mismatch = 0, space = 0, shift = 0;  // shift: of the symbols
};

/// The number of bits by which symbols are shifted.
inline int symbol_shift(std::int64_t mismatch) {
  int shift = 0;
  while ((std::int64_t{1} << shift) < mismatch) ++shift;
  return shift;
}
/// Whether all values of members of up to `longest` symbols fit signed 16-bit integers.
inline bool fits_cost_rows(std::int64_t longest, const DifferenceCosts& costs) {
  return longest <= cost_row_lengths.back() && symbol_shift(costs.mismatch) <= 13 &&
         2 * (longest + 1) * std::int64_t{costs.space} + costs.mismatch <= 32767;
}

namespace cost_detail {
/// min(a + b, c) and min(a, b) of two 16-bit numbers.
SPEEDWELL_HD
inline std::uint32_t add_min(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
  return __viaddmin_s16x2(a, b, c);
#else
  using namespace alignment::detail;
  const auto smaller = [](std::int32_t x, std::int32_t y) { return x < y ? x : y; };
  return pack(smaller(wrap16(low(a) + low(b)), low(c)), smaller(wrap16(high(a) + high(b)), high(c)));
#endif
}
SPEEDWELL_HD
inline std::uint32_t min_unsigned(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vminu2(a, b);
#else
  const std::uint32_t low_a = a & 0xffffu, low_b = b & 0xffffu, high_a = a >> 16, high_b = b >> 16;
  return (low_a < low_b ? low_a : low_b) | (high_a < high_b ? high_a : high_b) << 16;
#endif
}
/// The members i < j of pair number `pair` of k members.
struct Pair {
  std::int64_t i, j;
};
SPEEDWELL_HD
inline Pair pair_of(std::int64_t pair, std::int64_t k) {
  // number of pairs of the members below i
  const auto before = [&](std::int64_t i) { return i * (2 * k - i - 1) / 2; };
  const double side = static_cast<double>(2 * k - 1);
  auto i = static_cast<std::int64_t>((side - std::sqrt(side * side - 8.0 * static_cast<double>(pair))) / 2);
  while (before(i) > pair) --i;
  while (before(i + 1) <= pair) ++i;
  return {i, pair - before(i) + i + 1};
}
}  // namespace cost_detail

/// Computes pairs `first` and `first + 1` of a set, the second only if it exists. Members have at most N symbols.
template <int N>
SPEEDWELL_HD
void difference_of_pairs(const PairCosts& costs, const DeviceSet& set, std::int64_t first, bool second) {
  using namespace cost_detail;
  const Pair pair0 = pair_of(first, set.members), pair1 = second ? pair_of(first + 1, set.members) : pair0;
  const DeviceMember* const members = costs.members + set.first_member;
  const DeviceMember row0 = members[pair0.i], row1 = members[pair1.i];
  const DeviceMember column0 = members[pair0.j], column1 = members[pair1.j];
  const std::int32_t longest = row0.length > row1.length ? row0.length : row1.length;
  const std::int32_t widest = column0.length > column1.length ? column0.length : column1.length;
  const auto words_of = [&](const DeviceMember& member, std::int32_t word) {
    return word * symbols_per_word < member.length ? costs.words[member.first_word + static_cast<std::uint32_t>(word)]
                                                   : 0u;
  };
  const auto symbols_of = [&](std::uint32_t word0, std::uint32_t word1, int region) {
    return ((word0 >> (2 * region) & 3u) | (word1 >> (2 * region) & 3u) << 16) << costs.shift;
  };
  const auto both = [](std::int32_t value) { return static_cast<std::uint32_t>(value) * 0x10001u; };

  std::uint32_t symbols[N], z[N];
#pragma unroll
  for (int y = 0; y < N; y += 8) {
    const int word = y / symbols_per_word;
    const std::uint32_t word0 = words_of(column0, word), word1 = words_of(column1, word);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      symbols[y + k] = symbols_of(word0, word1, (y + k) % symbols_per_word);
      z[y + k] = 0;
    }
  }
  const std::uint32_t mismatch = both(costs.mismatch), spaces = both(2 * costs.space);
  std::uint32_t border = 0, word0 = 0, word1 = 0;
  std::uint32_t at0 = 0, at1 = 0;  // Z in the last cells of the pairs
  for (std::int32_t x = 0; x <= longest; ++x) {
    if (x == row0.length || x == row1.length) {
      std::uint32_t last0 = border, last1 = border;
#pragma unroll
      for (int y = 0; y < N; ++y) {
        if (y + 1 == column0.length) last0 = z[y];
        if (y + 1 == column1.length) last1 = z[y];
      }
      if (x == row0.length) at0 = last0 & 0xffffu;
      if (x == row1.length) at1 = last1 >> 16;
      if (x == longest) break;
    }
    if (x % symbols_per_word == 0) {
      word0 = words_of(row0, x / symbols_per_word);
      word1 = words_of(row1, x / symbols_per_word);
    }
    const std::uint32_t symbol = symbols_of(word0, word1, x % symbols_per_word);
    std::uint32_t diagonal = border;
    border += spaces;  // no carry between the halves: fits_cost_rows()
    std::uint32_t left = border;
#pragma unroll
    for (int y = 0; y < N; ++y) {
      if (y % 8 == 0 && y >= widest) break;
      const std::uint32_t above = z[y];
      left = add_min(diagonal, min_unsigned(symbols[y] ^ symbol, mismatch), add_min(above, spaces, left));
      z[y] = left;
      diagonal = above;
    }
  }
  std::uint16_t* const to = costs.differences + set.first_pair + first;
  const auto value = [&](std::uint32_t z_last, const DeviceMember& row, const DeviceMember& column) {
    return static_cast<std::uint16_t>(static_cast<std::int32_t>(z_last) - costs.space * (row.length - column.length));
  };
  to[0] = value(at0, row0, column0);
  if (second) to[1] = value(at1, row1, column1);
}

}  // namespace speedwell::ssca1

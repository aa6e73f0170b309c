// The scan along a row of kernel 1 on a GPU: the gaps of equations 4.3 to 4.5 of the dissertation of 2012 (see
// cpu/kernel1_row_scan.hpp) as a prefix of an associative operation, and its evaluation by the sweeps of appendix B and
// by a look-back over tiles. Host code executes the same steps in tests.
//
// For columns a <= j < b of a row, with H~ >= 0 of equation 4.3,
//   T[a,b) = max over j of H~(j) - (b - 1 - j) gap_extend >= 0
// is what the columns pass on to a gap that starts after column b - 1. Adjacent ranges combine to
//   T[a,c) = max(T[a,b) - (c - b) gap_extend, T[b,c)),
// which is associative, with 0 as what no columns pass on: H is never negative, so that a gap from the border adds
// nothing. In terms of equation 4.4, E~(j) = T[0,j) - gap_extend.
//
// Appendix B stores T[a,b) + (b - a - 1) gap_extend, which grows with the length of the row; T stays below the largest
// score, 2^30. A gap that costs more than that has no effect, so that costs are truncated to it, and no sum overflows.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::ssca1 {

/// The operation, for elements that are `extend` apart: columns, or ranges of columns of the same length.
struct DecayingMaximum {
  static constexpr std::int32_t unreachable = std::int32_t{1} << 30;
  std::int32_t extend = 0;  // 0 … unreachable

  /// The cost of the extension of a gap by `length` elements, at most `unreachable`.
  SPEEDWELL_HD
  constexpr std::int32_t reach(std::int64_t length) const {
    // 2^30 2^31 fits 64 bits; longer ranges cost as much as that, unless the extension costs nothing.
    const std::int64_t cost = (length < INT32_MAX ? length : INT32_MAX) * extend;
    return cost < unreachable ? static_cast<std::int32_t>(cost) : unreachable;
  }
  /// T of a range and of the `length` elements after it.
  SPEEDWELL_HD
  constexpr std::int32_t combine(std::int32_t before, std::int32_t after, std::int64_t length) const {
    const std::int32_t passed = before - reach(length);
    return passed > after ? passed : after;
  }
  /// The operation for ranges of `length` of these elements as elements.
  SPEEDWELL_HD
  constexpr DecayingMaximum of_ranges(std::int64_t length) const { return {reach(length)}; }
};

namespace scan_detail {
SPEEDWELL_HD
constexpr std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
}  // namespace scan_detail

/// Equation 4.3: F is replaced, and H~ returned. `diagonal` and `above` are H of the row above in the previous and in
/// the same column.
SPEEDWELL_HD
constexpr std::int32_t from_row_above(std::int32_t& f, std::int32_t diagonal, std::int32_t above, std::int32_t score,
                                      std::int32_t open, std::int32_t extend) {
  f = scan_detail::larger(f, above - open) - extend;
  return scan_detail::larger(scan_detail::larger(diagonal + score, f), 0);
}
/// Equation 4.5: H of H~, and T of all columns before it.
SPEEDWELL_HD
constexpr std::int32_t along_row(std::int32_t h_row, std::int32_t before, std::int32_t open, std::int32_t extend) {
  return scan_detail::larger(h_row, before - extend - open);
}

/// Elements that a block scans by the sweeps.
inline constexpr int sweep_elements = 1024;
/// The index of an element in shared memory: one word in 33 is left out, so that the elements of a level of the tree,
/// whose distances are powers of two, are in different banks.
SPEEDWELL_HD
constexpr int sweep_index(int element) { return element + element / 32; }
inline constexpr int sweep_words = sweep_elements + sweep_elements / 32;

/// Appendix B: `values`, at sweep_index of each element, become T of all previous elements. Returns T of all. `block`
/// has threads() threads and each(f), which calls f(thread) on them, followed by a barrier.
template <class Block>
SPEEDWELL_HD
std::int32_t sweep_up_and_down(const Block& block, std::int32_t* values, const DecayingMaximum& scan) {
  for (int half = 1; half < sweep_elements; half *= 2)
    block.each([&](int thread) {
      for (int k = thread * 2 * half; k < sweep_elements; k += block.threads() * 2 * half) {
        std::int32_t& right = values[sweep_index(k + 2 * half - 1)];
        right = scan.combine(values[sweep_index(k + half - 1)], right, half);
      }
    });
  const std::int32_t total = values[sweep_index(sweep_elements - 1)];
  block.each([](int) {});  // all have read it
  block.each([&](int thread) {
    if (thread == 0) values[sweep_index(sweep_elements - 1)] = 0;
  });
  for (int half = sweep_elements / 2; half > 0; half /= 2)
    block.each([&](int thread) {
      for (int k = thread * 2 * half; k < sweep_elements; k += block.threads() * 2 * half) {
        std::int32_t &left = values[sweep_index(k + half - 1)], &right = values[sweep_index(k + 2 * half - 1)];
        const std::int32_t of_left = left, before = right;
        left = before;
        right = scan.combine(before, of_left, half);
      }
    });
  return total;
}

/// Levels of recursion: that many cover 1024^4 columns.
inline constexpr int max_sweep_levels = 4;
/// The levels of a row. Level 0 has the columns as elements, each following one the blocks of the level below.
struct SweepLevels {
  int count = 0;
  std::int32_t* before[max_sweep_levels] = {};  // for each element T of the previous ones of its block
  DecayingMaximum scans[max_sweep_levels];

  /// T of all columns before `column`.
  SPEEDWELL_HD
  std::int32_t before_column(std::int64_t column) const {
    std::int32_t before_it = 0;
    for (int level = count - 1; level >= 0; --level) {
      std::int64_t element = column;
      for (int below = 0; below < level; ++below) element /= sweep_elements;
      before_it = scans[level].combine(before_it, before[level][element], element % sweep_elements);
    }
    return before_it;
  }
};

/// What a tile of columns publishes for those after it, in one word, which is written and read at once: its T, or that
/// of all columns up to its end. The stamp differs from row to row, so that words need not be cleared between rows.
struct TileWord {
  enum class Content : std::uint32_t { tile = 1, prefix = 2 };
  /// stamp: less than 2^30.
  SPEEDWELL_HD
  static constexpr unsigned long long pack(std::uint32_t stamp, Content content, std::int32_t value) {
    return static_cast<unsigned long long>(stamp << 2 | static_cast<std::uint32_t>(content)) << 32 |
           static_cast<std::uint32_t>(value);
  }
  SPEEDWELL_HD
  static constexpr bool has_stamp(unsigned long long word, std::uint32_t stamp) {
    return static_cast<std::uint32_t>(word >> 34) == stamp && (word >> 32 & 3u) != 0;
  }
  SPEEDWELL_HD
  static constexpr bool is_prefix(unsigned long long word) {
    return (word >> 32 & 3u) == static_cast<std::uint32_t>(Content::prefix);
  }
  SPEEDWELL_HD
  static constexpr std::int32_t value(unsigned long long word) { return static_cast<std::int32_t>(word & 0xffffffffu); }
};

/// T of all columns before `tile`, by a warp, from the words of previous tiles of `tile_columns` columns each: 32 at a
/// time, back to one that has its prefix, or to one so far away that a gap from there costs `highest`, which no score
/// exceeds. wait(tile) returns the word of a tile as soon as it has the row's stamp. Merrill, Garland, Single-pass
/// Parallel Prefix Scan with Decoupled Look-back, NVR-2016-002.
template <class Warp, class Wait>
SPEEDWELL_HD
std::int32_t look_back(Warp& warp, const DecayingMaximum& scan, std::int64_t tile, int tile_columns,
                       std::int32_t highest, Wait&& wait) {
  typename Warp::template Per<std::uint32_t> values, ends;
  std::int32_t before = 0;
  for (std::int64_t nearest = tile - 1;; nearest -= 32) {
    warp.each([&](int lane) {
      const std::int64_t other = nearest - lane;
      const std::int32_t cost = scan.reach((tile - 1 - other) * tile_columns);
      values[lane] = 0;
      ends[lane] = other < 0 || cost >= highest;
      if (ends[lane]) return;
      const unsigned long long word = wait(other);
      ends[lane] = TileWord::is_prefix(word);
      const std::int32_t passed = TileWord::value(word) - cost;
      values[lane] = passed > 0 ? static_cast<std::uint32_t>(passed) : 0u;
    });
    const std::uint32_t all = warp.where(ends);
    const std::uint32_t first = all & (~all + 1u);  // the nearest lane at which the search ends
    warp.each([&](int lane) {
      if (all != 0 && 1u << lane > first) values[lane] = 0;
    });
    warp.template largest_of_group<alignment::Single32>(values, 32);
    warp.each([&](int lane) { before = scan_detail::larger(before, static_cast<std::int32_t>(values[lane])); });
    if (all != 0) return before;
  }
}

}  // namespace speedwell::ssca1

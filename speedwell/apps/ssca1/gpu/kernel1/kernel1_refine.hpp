// Kernel 1 on a GPU, after the sweep (kernel1_sections.hpp): the candidates of a span, which is recomputed from its
// checkpoint. A lane with a sufficient score in its two columns stores them in shared memory, with the column before
// them, because a candidate depends on the previous H on the diagonal. All lanes then test these columns, one row each.
// Cells that cannot be excluded by scores alone are collected until there is one for every lane, because their symbols
// have to be loaded.
#pragma once

#include <bit>
#include <limits>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_sections.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_peak.hpp"

namespace speedwell::ssca1 {

/// A candidate. It has no padding, because it is copied.
struct FoundCell {
  std::int64_t row = 0, column = 0;    // from 0
  std::int32_t score = 0, gained = 0;  // gained: the difference to the previous cell on the diagonal
};

namespace section_detail {
SPEEDWELL_HD
inline unsigned long long take_region(unsigned long long* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1ull);
#else
  return (*count)++;
#endif
}
}  // namespace section_detail

/// The criteria and the destination of candidates.
struct CandidateList {
  std::int32_t threshold = 1;
  bool peaks = true;
  FoundCell* found = nullptr;
  unsigned long long* count = nullptr;  // may exceed the capacity: the list is then incomplete
  unsigned long long capacity = 0;
  /// The window: cells, counted along the rows of the table, row after row, that are listed; all others are ignored.
  std::int64_t first_cell = 0, end_cell = std::numeric_limits<std::int64_t>::max();

  /// Lists a candidate of a table with so many columns.
  SPEEDWELL_HD
  void add(const FoundCell& cell, std::int64_t columns) const {
    const std::int64_t number = cell.row * columns + cell.column;
    if (number < first_cell || number >= end_cell) return;
    const unsigned long long index = section_detail::take_region(count);
    if (index < capacity) found[index] = cell;
  }
};

/// H (or G) of the rows of lanes in three columns: the two of a step and the one before. The stride is odd, so that
/// neither the rows of a lane nor one row of all lanes are in one bank.
template <int R>
class LeftColumns {
  static_assert(R <= 32, "a row to a lane");

 public:
  /// The row above the first is -1; it does not exist in column 2.
  SPEEDWELL_HD
  std::uint32_t& at(int column, int row, int lane) { return words_[(column * (R + 1) + row + 1) * stride + lane]; }
  SPEEDWELL_HD
  std::uint32_t at(int column, int row, int lane) const { return words_[(column * (R + 1) + row + 1) * stride + lane]; }

 private:
  static constexpr int stride = 33;
  std::uint32_t words_[3 * (R + 1) * stride];
};

/// The shared memory of a warp that refines.
template <int R>
struct RefineMemory {
  LeftColumns<R> left;
  FoundCell waiting[64];  // fewer than a warp, plus those of one test
};

/// Bytes of shared memory of a block of one warp: the profile and RefineMemory.
SPEEDWELL_HD
constexpr int section_shared_bytes(int strip_rows, int symbols) {
  return section_profile_bytes(strip_rows, symbols) + 3 * (strip_rows + 1) * 33 * 4 + 64 * int{sizeof(FoundCell)} + 4;
}
static_assert(section_shared_bytes(8, 64) >= section_profile_bytes(8, 64) + int{sizeof(RefineMemory<8>)});

/// The position of the two columns of a step.
struct StepPosition {
  std::int32_t tile = 0, pair = 0, step = 0;
};

/// Searches the cells that the lanes of a warp have computed for candidates.
template <class Arithmetic, int R, class Warp>
class CandidateSearch {
 public:
  SPEEDWELL_HD
  CandidateSearch(Warp& warp, const SectionRound& round, const CandidateList& list, RefineMemory<R>& memory)
      : warp_(warp), round_(round), list_(list), memory_(memory) {}

  /// Tests the columns that lane `of` has stored.
  SPEEDWELL_HD
  void look(const StepPosition& position, int of) {
    for (int c = 0; c < 2; ++c)
      for (int half = 0; half < Arithmetic::subjects; ++half) {
        const std::int32_t section = position.pair * Arithmetic::subjects + half;
        const std::int64_t column =
            2 * (round_.first_step + std::int64_t{section} * round_.steps + position.step - of - 32 * position.tile) +
            c;
        if (section < round_.sections && column >= 0 && column < round_.columns) look(position, of, c, half, column);
      }
  }
  /// Processes the remaining cells.
  SPEEDWELL_HD
  void settle() {
    warp_.synchronize();
    warp_.each([&](int lane) {
      for (int n = lane; n < waiting_; n += 32)
        if (const FoundCell& cell = memory_.waiting[n]; !list_.peaks || keeps_rules(cell))
          list_.add(cell, round_.columns);
    });
    warp_.synchronize();
    waiting_ = 0;
  }

 private:
  template <class T>
  using Per = typename Warp::template Per<T>;

  SPEEDWELL_HD
  void look(const StepPosition& position, int of, int c, int half, std::int64_t column) {
    Per<std::uint32_t> seen;
    Per<FoundCell> cells;
    warp_.each([&](int lane) {
      seen[lane] = 0;
      const std::int64_t row = (std::int64_t{position.tile} * 32 + of) * R + lane;
      if (lane >= R || row >= round_.rows) return;
      const std::int32_t here = score(memory_.left.at(c + 1, lane, of), half);
      const std::int32_t gained = here - score(memory_.left.at(c, lane - 1, of), half);
      cells[lane] = {row, column, here, gained};
      // The gain of a candidate is the score of its pair, which is positive.
      seen[lane] = here >= list_.threshold && (!list_.peaks || (gained > 0 && gained <= round_.highest));
    });
    const std::uint32_t all = warp_.where(seen);
    warp_.each([&](int lane) {
      if (seen[lane]) memory_.waiting[waiting_ + bits(all & ((1u << lane) - 1))] = cells[lane];
    });
    waiting_ += bits(all);
    if (waiting_ >= 32) settle();
  }

  SPEEDWELL_HD
  std::int32_t score(std::uint32_t word, int half) const {
    return Arithmetic::score(Arithmetic::h_of(word, round_.constants), half);
  }
  SPEEDWELL_HD
  std::int32_t pair_score(std::int64_t row, std::int64_t column) const {
    return round_.scores[static_cast<int>(round_.match[row]) * round_.symbols + round_.main[column]];
  }
  SPEEDWELL_HD
  bool keeps_rules(const FoundCell& cell) const {
    return is_peak(cell.row, cell.column, round_.rows, round_.columns, cell.gained,
                   [this](std::int64_t row, std::int64_t column) { return pair_score(row, column); });
  }
  SPEEDWELL_HD
  static int bits(std::uint32_t word) {
#ifdef __CUDA_ARCH__
    return __popc(word);
#else
    return std::popcount(word);
#endif
  }

  Warp& warp_;
  const SectionRound& round_;
  const CandidateList& list_;
  RefineMemory<R>& memory_;
  int waiting_ = 0;
};

/// Executes a step of a tile and searches its cells. `left`: the memory that `candidates` searches.
template <class Arithmetic, int R, class Warp, class Tile>
SPEEDWELL_HD
void search_step(Warp& warp, const SectionRound& round, const CandidateList& list, const StepPosition& position,
                 Tile& lanes, CandidateSearch<Arithmetic, R, Warp>& candidates, LeftColumns<R>& left) {
  // The first of the two columns has to be recomputed on its own, because only the second is left of the two.
  const auto leave = [&](int lane, Strip<Arithmetic, R> strip, Border above, std::uint32_t corner,
                         const ProfileRows<2>& rows) {
    left.at(0, -1, lane) = corner;
    left.at(1, -1, lane) = above.h;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      left.at(0, r, lane) = strip.h[r];
      left.at(2, r, lane) = lanes.strip[lane].h[r];
    }
    Border one[1] = {above};
    std::uint32_t best = 0;
    strip.columns(one, corner, ProfileRows<1>{{rows.first[0]}, {rows.second[0]}}, round.constants, best);
#pragma unroll
    for (int r = 0; r < R; ++r) left.at(1, r, lane) = strip.h[r];
  };
  typename Warp::template Per<std::uint32_t> enough;
  lanes.advance(position.step, [&](int lane, Border(&at)[2], std::uint32_t corner, const ProfileRows<2>& rows) {
    const Strip<Arithmetic, R> before = lanes.strip[lane];
    const Border above = at[0];
    std::uint32_t best = 0;
    lanes.strip[lane].columns(at, corner, rows, round.constants, best);
    enough[lane] = Arithmetic::score(best, 0) >= list.threshold ||
                   Arithmetic::score(best, Arithmetic::subjects - 1) >= list.threshold;
    if (enough[lane]) leave(lane, before, above, corner, rows);
  });
  const std::uint32_t all = warp.where(enough);
  warp.synchronize();
  for (int of = 0; of < 32; ++of)
    if (all >> of & 1u) candidates.look(position, of);
  warp.synchronize();
}

/// Lists the candidates of span `number` (as in SectionRound::span_of) of a tile.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void refine_span(Warp& warp, const SectionRound& round, const CandidateList& list, std::int64_t number,
                 const char* profile, RefineMemory<R>& memory) {
  const auto spans = static_cast<std::int64_t>(round.spans);
  const auto pair = static_cast<std::int32_t>(number / spans % round.pairs);
  const std::int32_t begin = static_cast<std::int32_t>(number % spans) * round.span;
  const std::int32_t end = begin + round.span < round.steps ? begin + round.span : round.steps;
  StepPosition position{.tile = round.tile_of(number), .pair = pair, .step = begin};

  SectionTile<Arithmetic, R, Warp> lanes(warp, round, position.tile, pair, profile, false);
  lanes.load(round.checkpoints + number * state_words(R), begin);
  CandidateSearch<Arithmetic, R, Warp> candidates(warp, round, list, memory);
  for (; position.step < end; ++position.step)
    search_step<Arithmetic, R>(warp, round, list, position, lanes, candidates, memory.left);
  candidates.settle();
}

/// Lists the candidates of a section that overlaps those before it: from the empty state round.lead steps earlier, or
/// from the table's first column, without a search until the section begins. Tiles have to be done in order, and
/// borders have room for two.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void search_overlapping_section(Warp& warp, const SectionRound& round, const CandidateList& list, std::int32_t tile,
                                std::int32_t pair, const char* profile, RefineMemory<R>& memory) {
  static_assert(Arithmetic::subjects == 1,
                "the sections of a pair would start at different distances from the table's");
  SectionTile<Arithmetic, R, Warp, 1> lanes(warp, round, tile, pair, profile, true);
  const std::int64_t first = -std::int64_t{pair} * round.steps;
  StepPosition position{
      .tile = tile, .pair = pair, .step = first < -round.lead ? -round.lead : static_cast<std::int32_t>(first)};
  lanes.clear(position.step);
  for (; position.step < 0; ++position.step)
    lanes.advance(position.step, [&](int lane, Border(&at)[2], std::uint32_t corner, const ProfileRows<2>& rows) {
      lanes.strip[lane].columns(at, corner, rows, round.constants, lanes.best[lane]);
    });
  CandidateSearch<Arithmetic, R, Warp> candidates(warp, round, list, memory);
  for (; position.step < round.steps; ++position.step)
    search_step<Arithmetic, R>(warp, round, list, position, lanes, candidates, memory.left);
  candidates.settle();
}

}  // namespace speedwell::ssca1

// Kernel 1 on a GPU: what one warp does with a pair of sections of main (a section alone in 32 bits). A tile of match
// is in registers, R rows to a lane, and the columns of the sections stream through it, one lane a step behind the lane
// above, as in tile.hpp, whose cells these are. Sections begin a lead of columns early, and begin and end with states
// that are compared and repeated as in sections.hpp.
//
// A lane looks for candidates only when a cell of the column before, or above, is within one pair's score of being
// enough: no cell grows by more. It then keeps the column before, because a candidate needs the value before it on the
// diagonal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/tile.hpp"

namespace speedwell::alignment::ssca1 {

/// H of a row and E before the opening of the gap is paid (cell.hpp), at least that cost: less has no effect.
struct RowState {
  std::int32_t h = 0, e = 0;
};

struct FoundCell {
  std::int64_t row = 0, column = 0;  // from 0
  std::int32_t score = 0;
  std::int32_t slot = 0;  // of its section
};

/// Columns first … last - 1. Its begin state is computed unless it is known.
struct SectionTask {
  std::int64_t first = 0, last = 0;
  std::int32_t slot = 0;
  std::int32_t known = 0;
};

struct SectionSweep {
  const std::uint8_t* main = nullptr;
  std::int64_t columns = 0;
  const std::uint8_t* match = nullptr;
  std::int64_t rows = 0;
  const std::int16_t* scores = nullptr;  // scores[match symbol * symbols + main symbol]
  std::int32_t symbols = 0, highest = 0;
  CellConstants constants{};
  std::int32_t floor = 0;  // cost of a gap of one symbol
  const SectionTask* tasks = nullptr;
  std::int32_t task_count = 0;
  std::int32_t lead = 1;                        // at least 1
  RowState *begins = nullptr, *ends = nullptr;  // [slot * padded_rows + row]
  std::int64_t padded_rows = 0;                 // whole tiles
  std::int32_t threshold = 1;
  bool peaks = true;
  std::int32_t limit = 0;  // a score above it means that 16 bits may not hold the next
  FoundCell* found = nullptr;
  unsigned long long* found_count = nullptr;  // may pass the capacity: then the list is not complete
  unsigned long long capacity = 0;
  unsigned int* overflowed = nullptr;
  Border* borders = nullptr;  // border_columns for each pair, if there is more than one tile
  std::int64_t border_columns = 0;
  std::uint32_t* kept = nullptr;  // 2 R * 32 for each pair: H of the column before and of the column, where looked at
};

/// Letters of the profile: the symbols and padding.
SPEEDWELL_HD
constexpr int section_profile_bytes(int strip_rows, int symbols) {
  return (symbols + 1) * ((strip_rows + 7) / 8) * ProfileLayout<8>::bytes_per_chunk;
}

/// Fills the profile of rows first_row … first_row + 32 R - 1. Called by `threads` threads with their `thread`.
template <int R>
SPEEDWELL_HD
void build_section_profile(char* profile, const SectionSweep& sweep, std::int64_t first_row, int thread, int threads) {
  const auto score = [&](std::int64_t row, int letter) -> std::int32_t {
    if (row >= sweep.rows || letter == sweep.symbols) return padding_score;
    return sweep.scores[static_cast<int>(sweep.match[row]) * sweep.symbols + letter];
  };
  constexpr int words = 32 * (R / 2);  // a word is two rows of a lane
  for (int i = thread; i < words; i += threads) {
    const int rank = i & 31, r = i / 32 * 2;
    const std::int64_t row = first_row + rank * R + r;
    char* word = profile + ProfileLayout<R>::offset(rank, r);
    for (int letter = 0; letter <= sweep.symbols; ++letter)
      *reinterpret_cast<std::uint32_t*>(word + letter * ProfileLayout<R>::bytes_per_letter) =
          detail::pack(score(row, letter), score(row + 1, letter));
  }
}

namespace section_detail {
/// The value of one half (of 32 bits: all of it) replaced.
template <class Arithmetic>
SPEEDWELL_HD
std::uint32_t with_score(std::uint32_t word, int half, std::int32_t value) {
  if constexpr (Arithmetic::subjects == 1) return static_cast<std::uint32_t>(value);
  const std::uint32_t shift = 16u * static_cast<std::uint32_t>(half);
  return (word & ~(0xffffu << shift)) | ((static_cast<std::uint32_t>(value) & 0xffffu) << shift);
}
SPEEDWELL_HD
inline unsigned long long take_place(unsigned long long* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1ull);
#else
  return (*count)++;
#endif
}
}  // namespace section_detail

/// One lane's part of a pair of sections.
template <class Arithmetic, int R>
struct SectionLane {
  Strip<Arithmetic, R> strip;
  Border below, read;
  std::uint32_t diagonal, letters, best;  // best: of the last column
  std::int64_t row;                       // of the strip's first

  /// Moves one half between the strip and a state in memory, as of the column before the next one.
  SPEEDWELL_HD
  void load(const RowState* state, int half) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      strip.h[r] = section_detail::with_score<Arithmetic>(strip.h[r], half, state[row + r].h);
      strip.e[r] = section_detail::with_score<Arithmetic>(strip.e[r], half, state[row + r].e);
    }
    diagonal = section_detail::with_score<Arithmetic>(diagonal, half, row > 0 ? state[row - 1].h : 0);
    best = section_detail::with_score<Arithmetic>(best, half,
                                                  Arithmetic::subjects == 2 ? 0x7fff : 0x3fffffff);  // to be looked at
  }
  SPEEDWELL_HD
  void store(RowState* state, int half, std::int32_t floor) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const std::int32_t e = Arithmetic::score(strip.e[r], half);
      state[row + r] = {Arithmetic::score(strip.h[r], half), e > floor ? e : floor};
    }
  }
};

/// The candidates of one half in a column of a lane. `kept`: the lane's H of the column before, then of the column, a
/// row every 32 words. `above`: H of the column before in the row above the lane's.
template <class Arithmetic, int R>
SPEEDWELL_HD
void look_at_column(const SectionSweep& sweep, int half, const SectionTask& task, std::int64_t first_row,
                    std::int64_t column, std::uint32_t above, const std::uint32_t* kept) {
  const auto score = [&](std::int64_t i, std::int64_t j) -> std::int32_t {
    return sweep.scores[static_cast<int>(sweep.match[i]) * sweep.symbols + sweep.main[j]];
  };
#pragma unroll 1
  for (int r = 0; r < R; ++r) {
    const std::int32_t h = Arithmetic::score(kept[(R + r) * 32], half);
    const std::int64_t row = first_row + r;
    if (h < sweep.threshold || row >= sweep.rows) continue;
    if (sweep.peaks) {
      const std::int32_t s = score(row, column);
      const std::int32_t before = Arithmetic::score(r > 0 ? kept[(r - 1) * 32] : above, half);
      if (s <= 0 || h != before + s) continue;
      if (row + 1 < sweep.rows && column + 1 < sweep.columns && score(row + 1, column + 1) > 0) continue;
    }
    const unsigned long long place = section_detail::take_place(sweep.found_count);
    if (place < sweep.capacity) sweep.found[place] = {row, column, h, task.slot};
  }
}

/// Tile `first_row` of pair number `pair` of the tasks. `kept`: 2 R * 32 words of this warp's own.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void sweep_section_pair(Warp& warp, const SectionSweep& sweep, std::int32_t pair, std::int64_t first_row,
                        const char* profile, std::uint32_t* kept) {
  constexpr int halves = Arithmetic::subjects;
  // Of two sections, in variables of their own: an array that is indexed by a number would not stay in registers.
  SectionTask task0, task1;
  if (pair * halves < sweep.task_count) task0 = sweep.tasks[pair * halves];
  if (halves == 2 && pair * 2 + 1 < sweep.task_count) task1 = sweep.tasks[pair * 2 + 1];
  const auto task_of = [&](int half) { return half == 0 ? task0 : task1; };
  // The sections' columns are those from begin to before end; there, letters are of main. Elsewhere is padding.
  const auto end_of = [&](const SectionTask& task) {
    return task.last > task.first ? sweep.lead + static_cast<std::int32_t>(task.last - task.first) : 0;
  };
  const std::int32_t end0 = end_of(task0), end1 = end_of(task1);
  const std::int32_t begin0 = task0.known ? sweep.lead : 0, begin1 = task1.known ? sweep.lead : 0;
  const std::uint8_t* const letters0 = sweep.main + (task0.first - sweep.lead);
  const std::uint8_t* const letters1 = sweep.main + (task1.first - sweep.lead);
  const std::int32_t columns = end0 > end1 ? end0 : end1;
  const bool reads_border = first_row > 0, writes_border = first_row + 32 * R < sweep.rows;
  Border* const border = reads_border || writes_border ? sweep.borders + pair * sweep.border_columns : nullptr;

  typename Warp::template Per<SectionLane<Arithmetic, R>> lanes;
  const auto fetch = [&](int lane, std::int32_t column) {
    const auto padding = static_cast<std::uint32_t>(sweep.symbols);
    std::uint32_t letters = column >= begin0 && column < end0 ? letters0[column] : padding;
    if constexpr (halves == 2) letters |= (column >= begin1 && column < end1 ? letters1[column] : padding) << 16;
    lanes[lane].letters = letters;
    if (reads_border) lanes[lane].read = lane == 0 && column >= 0 && column < columns ? border[column] : Border{};
  };
  warp.each([&](int lane) {
    SectionLane<Arithmetic, R>& mine = lanes[lane];
    mine.strip.clear();
    mine.below = mine.read = Border{};
    mine.diagonal = mine.best = 0;
    mine.row = first_row + lane * R;
    fetch(lane, -lane);
  });

  typename Warp::template Per<Border> below;
  for (std::int32_t step = 0; step < columns + 31; ++step) {
    warp.each([&](int lane) { below[lane] = lanes[lane].below; });
    const typename Warp::template Per<Border> from_lane_above = warp.shift_up(below);
    warp.each([&](int lane) {
      SectionLane<Arithmetic, R>& mine = lanes[lane];
      const std::int32_t column = step - lane;
      const Border above = lane == 0 ? mine.read : from_lane_above[lane];
      const char* lane_profile = profile + lane * 16;
      const std::uint32_t first_letter = halves == 2 ? mine.letters & 0xffffu : mine.letters;
      const std::uint32_t second_letter = halves == 2 ? mine.letters >> 16 : mine.letters;
      const char* first = lane_profile + first_letter * ProfileLayout<R>::bytes_per_letter;
      const char* second = lane_profile + second_letter * ProfileLayout<R>::bytes_per_letter;
      fetch(lane, column + 1);

      const std::uint32_t before = mine.diagonal;
      const std::uint32_t near = Arithmetic::max3(mine.best, above.h, before);
      const std::int32_t nearest = detail::larger(Arithmetic::score(near, 0), Arithmetic::score(near, halves - 1));
      const bool hot = nearest + sweep.highest >= sweep.threshold && column >= sweep.lead && column < columns;
      if (hot) {
#pragma unroll
        for (int r = 0; r < R; ++r) kept[r * 32 + lane] = mine.strip.h[r];
      }
      mine.best = 0;
      mine.below = mine.strip.column(above, before, first, second, sweep.constants, mine.best);
      mine.diagonal = above.h;
      const std::int32_t best =
          detail::larger(Arithmetic::score(mine.best, 0), Arithmetic::score(mine.best, halves - 1));
      if (hot && best >= sweep.threshold) {
        if (best > sweep.limit) *sweep.overflowed = 1;
#pragma unroll
        for (int r = 0; r < R; ++r) kept[(R + r) * 32 + lane] = mine.strip.h[r];
        if (column < end0)
          look_at_column<Arithmetic, R>(sweep, 0, task0, mine.row, task0.first - sweep.lead + column, before,
                                        kept + lane);
        if (halves == 2 && column < end1)
          look_at_column<Arithmetic, R>(sweep, 1, task1, mine.row, task1.first - sweep.lead + column, before,
                                        kept + lane);
      }
      if (writes_border && lane == 31 && column >= 0 && column < columns) border[column] = mine.below;
      if (column == sweep.lead - 1 || column == end0 - 1 || column == end1 - 1) {
#pragma unroll 1
        for (int half = 0; half < halves; ++half) {
          const SectionTask task = task_of(half);
          const std::int32_t end = half == 0 ? end0 : end1;
          if (end == 0) continue;
          const std::int64_t state = task.slot * sweep.padded_rows;
          if (column == sweep.lead - 1 && task.known)
            mine.load(sweep.begins + state, half);
          else if (column == sweep.lead - 1)
            mine.store(sweep.begins + state, half, sweep.floor);
          if (column == end - 1) mine.store(sweep.ends + state, half, sweep.floor);
        }
      }
    });
  }
}

}  // namespace speedwell::alignment::ssca1

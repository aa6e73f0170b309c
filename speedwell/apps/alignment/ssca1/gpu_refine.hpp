// Kernel 1 on a GPU, after the sweep (gpu_sections.hpp): the candidates of a span, which is computed again from its
// checkpoint. A lane whose two columns have a score that is enough computes them once more, one after the other: a
// candidate needs the H before it on the diagonal.
#pragma once

#include "speedwell/apps/alignment/ssca1/gpu_sections.hpp"

namespace speedwell::alignment::ssca1 {

/// A cell that keeps the rules. All members have one size, so that there is no padding to copy.
struct FoundCell {
  std::int64_t row = 0, column = 0;  // from 0
  std::int64_t score = 0;
};

/// What is wanted, and where it goes.
struct CandidateList {
  std::int32_t threshold = 1;
  bool peaks = true;
  FoundCell* found = nullptr;
  unsigned long long* count = nullptr;  // may pass the capacity: then the list is not complete
  unsigned long long capacity = 0;
};

namespace section_detail {
SPEEDWELL_HD
inline unsigned long long take_place(unsigned long long* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1ull);
#else
  return (*count)++;
#endif
}
}  // namespace section_detail

/// The candidates of one half in the rows that a lane has of a column. `h` and `before`: H of the column and of the one
/// before it; `corner`: H of the column before in the row above.
template <class Arithmetic, int R>
SPEEDWELL_HD
void look_at_column(const SectionRound& round, const CandidateList& list, int half, std::int64_t first_row,
                    std::int64_t column, std::uint32_t corner, const std::uint32_t (&before)[R],
                    const std::uint32_t (&h)[R]) {
  const auto pair_score = [&](std::int64_t i, std::int64_t j) -> std::int32_t {
    return round.scores[static_cast<int>(round.match[i]) * round.symbols + round.main[j]];
  };
  const auto score = [&](std::uint32_t returned) {
    return Arithmetic::score(Arithmetic::h_of(returned, round.constants), half);
  };
#pragma unroll 1
  for (int r = 0; r < R; ++r) {
    const std::int32_t here = score(h[r]);
    const std::int64_t row = first_row + r;
    if (here < list.threshold || row >= round.rows) continue;
    if (list.peaks) {
      const std::int32_t s = pair_score(row, column);
      if (s <= 0 || here != score(r > 0 ? before[r - 1] : corner) + s) continue;
      if (row + 1 < round.rows && column + 1 < round.columns && pair_score(row + 1, column + 1) > 0) continue;
    }
    const unsigned long long place = section_detail::take_place(list.count);
    if (place < list.capacity) list.found[place] = {row, column, here};
  }
}

/// Lists the candidates of span `number` (as in SectionRound::span_of) of a tile.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void refine_span(Warp& warp, const SectionRound& round, const CandidateList& list, std::int64_t number,
                 const char* profile) {
  constexpr int halves = Arithmetic::subjects;
  const auto spans = static_cast<std::int64_t>(round.spans);
  const std::int32_t tile = round.tile_of(number);
  const auto pair = static_cast<std::int32_t>(number / spans % round.pairs);
  const std::int32_t begin = static_cast<std::int32_t>(number % spans) * round.span;
  const std::int32_t end = begin + round.span < round.steps ? begin + round.span : round.steps;

  SectionTile<Arithmetic, R, Warp> lanes(warp, round, tile, pair, profile, false);
  lanes.load(round.checkpoints + number * state_words(R), begin);
  std::int32_t step = begin;
  // A lane's two columns once more, one after the other, from its strip and the borders before them.
  const auto look = [&](int lane, Strip<Arithmetic, R> strip, Borders at, std::uint32_t corner,
                        const ProfileRows<2>& rows) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      std::uint32_t before[R], h[R], best = 0;
#pragma unroll
      for (int r = 0; r < R; ++r) before[r] = strip.h[r];
      Border one[1] = {at.column[c]};
      strip.columns(one, corner, ProfileRows<1>{{rows.first[c]}, {rows.second[c]}}, round.constants, best);
#pragma unroll
      for (int r = 0; r < R; ++r) h[r] = strip.h[r];
      for (int half = 0; half < halves; ++half) {
        const std::int32_t section = pair * halves + half;
        const std::int64_t column =
            2 * (round.first_step + std::int64_t{section} * round.steps + step - lane - 32 * tile) + c;
        if (section < round.sections && column >= 0 && column < round.columns &&
            Arithmetic::score(best, half) >= list.threshold)
          look_at_column<Arithmetic, R>(round, list, half, (std::int64_t{tile} * 32 + lane) * R, column, corner, before,
                                        h);
      }
      corner = at.column[c].h;
    }
  };
  for (; step < end; ++step) {
    lanes.advance(step, [&](int lane, Border(&at)[2], std::uint32_t corner, const ProfileRows<2>& rows) {
      Strip<Arithmetic, R>& strip = lanes.strip[lane];
      const Strip<Arithmetic, R> before = strip;
      const Borders above{{at[0], at[1]}};
      std::uint32_t best = 0;
      strip.columns(at, corner, rows, round.constants, best);
      if (Arithmetic::score(best, 0) >= list.threshold || Arithmetic::score(best, halves - 1) >= list.threshold)
        look(lane, before, above, corner, rows);
    });
  }
}

}  // namespace speedwell::alignment::ssca1

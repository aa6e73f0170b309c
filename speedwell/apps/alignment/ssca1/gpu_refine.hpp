// Kernel 1 on a GPU, after the sweep (gpu_sections.hpp): the candidates of a span, which is computed again from its
// checkpoint. A lane whose two columns have a score that is enough leaves them in shared memory, with the column before
// them: a candidate needs the H before it on the diagonal. All lanes then look at these columns, a row each.
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

/// H (or G) of the rows of lanes in three columns: the two of a step and the one before. In an odd stride, so that
/// neither the rows of a lane nor one row of all lanes are in one bank.
template <int R>
class LeftColumns {
  static_assert(R <= 32, "a row to a lane");

 public:
  /// The row above the first is -1; there is none in column 2.
  SPEEDWELL_HD
  std::uint32_t& at(int column, int row, int lane) { return words_[(column * (R + 1) + row + 1) * stride + lane]; }
  SPEEDWELL_HD
  std::uint32_t at(int column, int row, int lane) const { return words_[(column * (R + 1) + row + 1) * stride + lane]; }

 private:
  static constexpr int stride = 33;
  std::uint32_t words_[3 * (R + 1) * stride];
};

/// Bytes of shared memory that a block of one warp takes: the profile and LeftColumns.
SPEEDWELL_HD
constexpr int section_shared_bytes(int strip_rows, int symbols) {
  return section_profile_bytes(strip_rows, symbols) + 3 * (strip_rows + 1) * 33 * 4;
}
static_assert(section_shared_bytes(8, 64) == section_profile_bytes(8, 64) + int{sizeof(LeftColumns<8>)});

/// Where the two columns of a step are.
struct StepPlace {
  std::int32_t tile = 0, pair = 0, step = 0;
};

/// The candidates in the columns that lane `of` left.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void look_at_columns(Warp& warp, const SectionRound& round, const CandidateList& list, const StepPlace& place,
                     const LeftColumns<R>& left, int of) {
  const auto pair_score = [&](std::int64_t i, std::int64_t j) -> std::int32_t {
    return round.scores[static_cast<int>(round.match[i]) * round.symbols + round.main[j]];
  };
  const auto keeps_rules = [&](std::int64_t row, std::int64_t column, std::int32_t score, std::int32_t before) {
    const std::int32_t s = pair_score(row, column);
    if (s <= 0 || score != before + s) return false;
    return row + 1 == round.rows || column + 1 == round.columns || pair_score(row + 1, column + 1) <= 0;
  };
  warp.each([&](int lane) {
    const std::int64_t row = (std::int64_t{place.tile} * 32 + of) * R + lane;
    if (lane >= R || row >= round.rows) return;
    for (int c = 0; c < 2; ++c)
      for (int half = 0; half < Arithmetic::subjects; ++half) {
        const auto score = [&](std::uint32_t word) {
          return Arithmetic::score(Arithmetic::h_of(word, round.constants), half);
        };
        const std::int32_t here = score(left.at(c + 1, lane, of));
        const std::int32_t section = place.pair * Arithmetic::subjects + half;
        const std::int64_t column =
            2 * (round.first_step + std::int64_t{section} * round.steps + place.step - of - 32 * place.tile) + c;
        if (here < list.threshold || section >= round.sections || column < 0 || column >= round.columns) continue;
        if (list.peaks && !keeps_rules(row, column, here, score(left.at(c, lane - 1, of)))) continue;
        const unsigned long long index = section_detail::take_place(list.count);
        if (index < list.capacity) list.found[index] = {row, column, here};
      }
  });
}

/// Lists the candidates of span `number` (as in SectionRound::span_of) of a tile. `left`: shared by the warp's lanes.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void refine_span(Warp& warp, const SectionRound& round, const CandidateList& list, std::int64_t number,
                 const char* profile, LeftColumns<R>& left) {
  const auto spans = static_cast<std::int64_t>(round.spans);
  const auto pair = static_cast<std::int32_t>(number / spans % round.pairs);
  const std::int32_t begin = static_cast<std::int32_t>(number % spans) * round.span;
  const std::int32_t end = begin + round.span < round.steps ? begin + round.span : round.steps;
  StepPlace place{.tile = round.tile_of(number), .pair = pair, .step = begin};

  SectionTile<Arithmetic, R, Warp> lanes(warp, round, place.tile, pair, profile, false);
  lanes.load(round.checkpoints + number * state_words(R), begin);
  // The first of the two columns has to be computed once more, alone: of the two together only the second is left.
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
  for (; place.step < end; ++place.step) {
    typename Warp::template Per<std::uint32_t> enough;
    lanes.advance(place.step, [&](int lane, Border(&at)[2], std::uint32_t corner, const ProfileRows<2>& rows) {
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
      if (all >> of & 1u) look_at_columns<Arithmetic, R>(warp, round, list, place, left, of);
    warp.synchronize();
  }
}

}  // namespace speedwell::alignment::ssca1

// Kernel 1 on a GPU: the work of one warp with a section of main, or with two in the halves of its words. A tile of
// match is in registers, R rows per lane, and the columns of the section stream through it, two per step; each lane is
// one step behind the lane above, as in tile.hpp, which has the cells.
//
// A section is a range of steps, not of columns: in step t, lane l of tile k computes the pair of columns t - 32 k - l.
// Hence lanes never wait for each other at the end of a section, and the content of the lanes between two steps is a
// state from which the table can be continued. A section starts a lead of steps early with an empty tile; its state
// after the lead is compared with the final state of its neighbour, and the section is repeated from there if they
// differ (see cpu/kernel1_sections.hpp).
//
// Cells are not tested. Every few steps, a span, the state and then the maximum of H are written; spans with a
// sufficient score are recomputed from there by kernel1_refine.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/cells.hpp"

namespace speedwell::ssca1 {

/// The arrays in device memory.
struct SectionMemory {
  const std::uint8_t *main = nullptr, *match = nullptr;  // main has an even number of bytes
  const std::int16_t* scores = nullptr;                  // scores[match symbol * symbols + main symbol]
  std::uint32_t* checkpoints = nullptr;                  // initial state of each tile, pair and span
  std::uint32_t* ends = nullptr;                         // final state of each tile and pair
  std::uint32_t* maxima = nullptr;                       // maximum of each tile, pair and span
  Borders* borders = nullptr;  // for each tile and pair one per step and one more, if there is a tile below
  // for each tile the state in which section 0 starts, in the high half of two; null: an empty state
  const std::uint32_t* before = nullptr;
};

/// A round: sections that are computed concurrently. Section s is half s % subjects of pair s / subjects (in 32 bits a
/// pair is a single section) and has the steps from first_step + s * steps on. Steps are counted from the table's first
/// column in the first lane.
struct SectionRound : SectionMemory {
  std::int64_t columns = 0, rows = 0;
  std::int32_t symbols = 0, highest = 0;  // highest score of a pair
  CellConstants constants{};
  std::int32_t limit = 0;  // after a higher score, the arithmetic may not hold the next one

  std::int64_t first_step = 0;
  std::int32_t sections = 0, pairs = 0, tiles = 0;
  std::int32_t lead = 0, steps = 0, span = 0;  // steps: even
  std::int32_t spans = 0;                      // spans of a section; the last may be shorter
  // The symbols of a pair of columns, and which of them are in main. Pairs are counted from that of lane 0 in the first
  // step.
  const std::uint8_t* first_symbols = nullptr;
  std::int32_t first_inside = 0;
  std::uint32_t inside = 0;

  SPEEDWELL_HD
  std::int64_t pair_of(std::int32_t tile, std::int32_t pair) const { return std::int64_t{tile} * pairs + pair; }
  SPEEDWELL_HD
  std::int64_t all_spans() const { return std::int64_t{tiles} * pairs * spans; }
  SPEEDWELL_HD
  std::int32_t tile_of(std::int64_t number) const {
    return static_cast<std::int32_t>(number / (std::int64_t{pairs} * spans));
  }
  SPEEDWELL_HD
  std::int64_t span_of(std::int32_t tile, std::int32_t pair, std::int32_t number) const {
    return pair_of(tile, pair) * spans + number;
  }
};

/// A state: for each lane H (or G) and E of its rows, the two borders in transit to the lane below, and the H above the
/// previous column.
SPEEDWELL_HD
constexpr int state_words(int strip_rows) { return (2 * strip_rows + 5) * 32; }

/// Bytes of a profile: those of the symbols and the padding.
SPEEDWELL_HD
constexpr int section_profile_bytes(int strip_rows, int symbols) {
  return (symbols + 1) * ((strip_rows + 7) / 8) * ProfileLayout<8>::bytes_per_chunk;
}

/// Fills the profile of a tile. Called by `threads` threads with their index `thread`.
template <class Arithmetic, int R>
SPEEDWELL_HD
void build_section_profile(char* profile, const SectionRound& round, std::int32_t tile, int thread, int threads) {
  // The scores of a row; null after the last row.
  const auto scores_of = [&](std::int64_t row) {
    return row < round.rows ? round.scores + static_cast<int>(round.match[row]) * round.symbols : nullptr;
  };
  const auto half = [&](const std::int16_t* scores, int symbol) -> std::uint32_t {
    const int score = scores && symbol < round.symbols ? scores[symbol] : padding_score;
    return Arithmetic::profile_half(score, round.constants);
  };
  constexpr int words = 32 * (R / 2);  // a word has two rows of a lane
  for (int i = thread; i < words; i += threads) {
    const int rank = i & 31, r = i / 32 * 2;
    const std::int64_t row = (std::int64_t{tile} * 32 + rank) * R + r;
    const std::int16_t *first = scores_of(row), *second = scores_of(row + 1);
    char* word = profile + ProfileLayout<R>::offset(rank, r);
    for (int symbol = 0; symbol <= round.symbols; ++symbol)
      *reinterpret_cast<std::uint32_t*>(word + symbol * ProfileLayout<R>::bytes_per_residue) =
          half(first, symbol) | half(second, symbol) << 16;
  }
}

/// A pair of sections in the registers of a warp. BorderMask: the number of a tile is masked with it in borders, which
/// then have room for fewer tiles: with 1 for two, where each warp computes its tiles one after the other.
template <class Arithmetic, int R, class Warp, std::int32_t BorderMask = -1>
class SectionTile {
 public:
  template <class T>
  using Per = typename Warp::template Per<T>;

  SPEEDWELL_HD
  SectionTile(Warp& warp, const SectionRound& round, std::int32_t tile, std::int32_t pair, const char* profile,
              bool writes_borders)
      : warp_(warp),
        round_(round),
        profile_(profile),
        tile_(tile),
        pair_(pair),
        shift_(pair * Arithmetic::subjects * round.steps - 32 * tile),
        writes_borders_(writes_borders && tile + 1 < round.tiles) {}

  /// Empties the tile before `step` of the section (negative in the lead).
  SPEEDWELL_HD
  void clear(std::int32_t step) {
    warp_.each([&](int lane) {
      strip[lane].clear(round_.constants);
      below_[lane] = nothing();
      diagonal_[lane] = nothing().column[1].h;
      best[lane] = 0;
    });
    start(step);
  }
  SPEEDWELL_HD
  void load(const std::uint32_t* state, std::int32_t step) {
    warp_.each([&](int lane) {
      const std::uint32_t* word = state + lane;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        strip[lane].h[r] = word[r * 32];
        strip[lane].e[r] = word[(R + r) * 32];
      }
      word += 2 * R * 32;
#pragma unroll
      for (int c = 0; c < 2; ++c) below_[lane].column[c] = {word[2 * c * 32], word[(2 * c + 1) * 32]};
      diagonal_[lane] = word[4 * 32];
      best[lane] = 0;
    });
    start(step);
  }
  /// E and F below the floor have no effect and are set to it, so that equal tables have equal states.
  SPEEDWELL_HD
  void store(std::uint32_t* state) const {
    const auto settled = [&](std::uint32_t gap) {
      return Arithmetic::max3(gap, round_.constants.floor, round_.constants.floor);
    };
    warp_.each([&](int lane) {
      std::uint32_t* word = state + lane;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        word[r * 32] = strip[lane].h[r];
        word[(R + r) * 32] = settled(strip[lane].e[r]);
      }
      word += 2 * R * 32;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        word[2 * c * 32] = below_[lane].column[c].h;
        word[(2 * c + 1) * 32] = settled(below_[lane].column[c].f);
      }
      word[4 * 32] = diagonal_[lane];
    });
  }

  /// Executes one step. `columns(lane, at, diagonal, rows)` computes the lane's two columns with `rows`, those of the
  /// profile, and replaces the borders `at` above them by those below.
  template <class Columns>
  SPEEDWELL_HD
  void advance(std::int32_t step, Columns&& columns) {
    const Per<Borders> from_lane_above = warp_.shift_up(below_);
    warp_.each([&](int lane) {
      Borders at = from_lane_above[lane];
      if (lane == 0) at = tile_ > 0 ? *border(tile_ - 1, step) : nothing();
      const char* lane_profile = profile_ + lane * 16;
      const auto row_of = [&](std::uint32_t pair, int column) {
        return lane_profile + (pair >> (16 * column) & 0xffffu) * ProfileLayout<R>::bytes_per_residue;
      };
      ProfileRows<2> rows;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        rows.first[c] = row_of(symbols0_[lane], c);
        rows.second[c] = Arithmetic::subjects == 2 ? row_of(symbols1_[lane], c) : rows.first[c];
      }
      fetch(lane, step + 1);
      const std::uint32_t before = diagonal_[lane];
      diagonal_[lane] = at.column[1].h;
      columns(lane, at.column, before, rows);
      below_[lane] = at;
      if (writes_borders_ && lane == 31) *border(tile_, step + 1) = at;
    });
  }

  Per<Strip<Arithmetic, R>> strip;
  Per<std::uint32_t> best;  // the maximum of H since it was last reset

 private:
  SPEEDWELL_HD
  Borders nothing() const { return {{Arithmetic::top(round_.constants), Arithmetic::top(round_.constants)}}; }
  /// The border that lane 31 of the tile passes to `step` of the tile below.
  SPEEDWELL_HD
  Borders* border(std::int32_t tile, std::int32_t step) const {
    return round_.borders + round_.pair_of(tile & BorderMask, pair_) * (round_.lead + round_.steps + 1) + round_.lead +
           step;
  }
  SPEEDWELL_HD
  void start(std::int32_t step) {
    warp_.each([&](int lane) {
      if (writes_borders_ && lane == 31) *border(tile_, step) = below_[lane];
      fetch(lane, step);
    });
  }
  /// Symbols are loaded one step before their use.
  SPEEDWELL_HD
  void fetch(int lane, std::int32_t step) {
    const std::int32_t at = shift_ + step - lane;
    symbols0_[lane] = two_symbols(at);
    if constexpr (Arithmetic::subjects == 2) symbols1_[lane] = two_symbols(at + round_.steps);
  }
  SPEEDWELL_HD
  std::uint32_t two_symbols(std::int32_t at) const {
    const auto padding = static_cast<std::uint32_t>(round_.symbols);
    if (static_cast<std::uint32_t>(at - round_.first_inside) >= round_.inside) return padding | padding << 16;
    const std::uint32_t bytes = *reinterpret_cast<const std::uint16_t*>(round_.first_symbols + 2 * std::int64_t{at});
    return (bytes & 0xffu) | (bytes & 0xff00u) << 8;
  }

  Warp& warp_;
  const SectionRound& round_;
  const char* profile_;
  std::int32_t tile_, pair_, shift_;
  bool writes_borders_;
  Per<Borders> below_;
  Per<std::uint32_t> diagonal_, symbols0_, symbols1_;
};

/// Sweeps a pair of sections through a tile, after the tile above: from the checkpoint of its first span if that is
/// known, otherwise from the empty state a lead earlier, and then that checkpoint is written like the others.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void sweep_section_pair(Warp& warp, const SectionRound& round, std::int32_t tile, std::int32_t pair, bool known,
                        const char* profile) {
  SectionTile<Arithmetic, R, Warp> lanes(warp, round, tile, pair, profile, true);
  const std::int64_t first_span = round.span_of(tile, pair, 0);
  const auto checkpoint = [&](std::int32_t number) {
    return round.checkpoints + (first_span + number) * state_words(R);
  };
  const auto advance = [&](std::int32_t step) {
    lanes.advance(step, [&](int lane, Border(&at)[2], std::uint32_t before, const ProfileRows<2>& rows) {
      lanes.strip[lane].columns(at, before, rows, round.constants, lanes.best[lane]);
    });
  };
  const auto end_span = [&](std::int32_t number) {
    warp.template largest_of_group<Arithmetic>(lanes.best, 32);
    warp.each([&](int lane) {
      if (lane == 0) round.maxima[first_span + number] = lanes.best[lane];
    });
  };

  std::int32_t step = known ? 0 : -round.lead, number = 0;
  if (known)
    lanes.load(checkpoint(0), step);
  else
    lanes.clear(step);
  // Two steps per iteration, as in tile.hpp.
  for (; step < round.steps; step += 2) {
    if (step == number * round.span) {
      if (number > 0) end_span(number - 1);
      warp.each([&](int lane) { lanes.best[lane] = 0; });
      lanes.store(checkpoint(number));
      ++number;
    }
    advance(step);
    advance(step + 1);
  }
  end_span(number - 1);
  lanes.store(round.ends + round.pair_of(tile, pair) * state_words(R));
}

}  // namespace speedwell::ssca1

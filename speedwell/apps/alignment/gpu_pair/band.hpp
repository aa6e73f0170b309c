// One huge pair: a warp sweeps a band of 64 R query rows along all columns of the table; bands follow each other, each
// some columns behind the one above. Every lane holds two strips of R rows, one in each half of its words (Pair16 of
// cell.hpp): strip 2 lane and, two columns behind it, strip 2 lane + 1. A step is two columns.
//
// Scores that exceed 16 bits. A half is H minus a base of the warp, at least 0. Prefix alignments that end d rows and
// d' columns apart differ in score by at most (d + d') (highest + extend) + 4 open (remove the residues of the rows
// from the end: each lost pair costs at most `highest`, and its partner joins a gap). So all values of a warp are in a
// window of known width around the largest H of its last chunk of columns, and the base, which is moved between chunks,
// keeps that window inside 0 … 32767 (Window, band_plan.hpp): nothing can saturate or wrap. H >= 0 is the clamp at 0 of
// a half if the base is 0; otherwise all H are above the base and the clamp is never active.
//
// The best cell. Only every `sampled_rows`-th row is compared with the best, which is at most open + (sampled_rows - 1)
// extend below the best of the chunk (go down the column in a gap). A chunk that may hold the best cell is swept again
// with a test of every cell, from the state saved at its begin. This is deferred, because along a good alignment every
// chunk is better than the last and every band waits for the one above: the state is saved until the end of the band,
// when usually a better chunk has replaced it or another band has exceeded it. Only if two chunks may be the best of a
// band is one tested immediately: often in sequences of one residue, rarely in others.
//
// Pruning. An alignment through a chunk scores at most the largest H that enters it plus `highest` for every remaining
// row or column, whichever are fewer. If that is below a known score, the chunk is pruned: it is not computed, and its
// borders count as 0. All H are then at most the true ones, and exact for every alignment that matters. A base that
// suits the true H next to a pruned chunk is at most these, so that H below the base may be raised to it.
//
// `Warp` is the hardware warp of the kernel or HostWarp; `Links` connects the band with those above and below.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_best.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_borders.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_memory.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/strips.hpp"

namespace speedwell::alignment {

/// The residues of a lane's rows.
template <class Scores, int R>
SPEEDWELL_HD
void set_rows(Strips<Scores, R>& strips, const BandProblem& problem, std::int64_t band, int lane) {
  const auto residue = [&](std::int64_t i) {
    return i < problem.query_length ? static_cast<int>(problem.query[i]) : problem.classes - 1;
  };
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const std::int64_t low = band * 64 * R + lane * 2 * R + r;
    strips.row[r] = Scores::row(residue(low), residue(low + R), problem.classes, lane);
  }
}

/// One band, from its first column to its last.
/// `Costs`: AnyCosts, or the problem's gap costs as compile-time constants.
template <class Scores, int R, class Warp, class Links, class Costs = AnyCosts>
class Band {
 public:
  static constexpr int rows = 64 * R;

  SPEEDWELL_HD
  Band(Warp& warp, const BandProblem& problem, std::int64_t band, BandMemory<R>& memory, const char* table,
       Links& links, std::uint32_t* candidate)
      : warp_(warp),
        problem_(problem),
        band_(band),
        memory_(memory),
        table_(table),
        links_(links),
        candidate_(candidate),
        borders_(warp, problem, band, memory) {}

  /// The band's best cell, if it may be the pair's: exact if its score is at least the known one.
  SPEEDWELL_HD
  BandBest sweep() {
    warp_.each([&](int lane) {
      strips_[lane].each_word([](std::uint32_t& word) { word = 0; });
      set_rows(strips_[lane], problem_, band_, lane);
    });
    for (std::int64_t chunk = 0; chunk < problem_.chunks;) {
      if (band_ > 0) links_.wait(band_ - 1, wanted_above(chunk));
      const std::int32_t top_max = borders_.read_top(chunk);
      if (problem_.prune && is_pruned(chunk, top_max)) {
        chunk = skip_pruned(chunk);
      } else {
        compute_chunk(chunk, top_max);
        ++chunk;
      }
    }
    test_candidate();
    return best_;
  }

 private:
  using Memory = BandMemory<R>;
  template <class T>
  using Per = typename Warp::template Per<T>;

  SPEEDWELL_HD
  std::int64_t first_row() const { return band_ * rows; }

  /// Chunks of the band above that must be finished before this band's chunk.
  SPEEDWELL_HD
  std::int64_t wanted_above(std::int64_t chunk) const {
    return chunk + chunks_ahead < problem_.chunks ? chunk + chunks_ahead : problem_.chunks;
  }

  /// Whether no alignment through the chunk can reach the known score.
  SPEEDWELL_HD
  bool is_pruned(std::int64_t chunk, std::int32_t top_max) const {
    // The chunk's first columns are those of the last strip, band_lag behind.
    const std::int64_t first_column = chunk * chunk_columns - band_lag - 2;
    const std::int64_t rows_left = problem_.query_length - first_row();
    const std::int64_t columns_left = problem_.subject_length - (first_column > 0 ? first_column : 0);
    const std::int64_t left = rows_left < columns_left ? rows_left : columns_left;
    return detail::larger(top_max, entering_) + problem_.highest * left < links_.known_score();
  }

  /// Skips a pruned chunk and the following ones into which only pruned chunks lead; returns the next chunk.
  SPEEDWELL_HD
  std::int64_t skip_pruned(std::int64_t chunk) {
    if (entering_ != 0 || base_ != 0) {
      warp_.each([&](int lane) { strips_[lane].each_word([](std::uint32_t& word) { word = 0; }); });
      base_ = entering_ = 0;
    }
    const std::int64_t special = borders_.kept_row();
    const std::int64_t ready = band_ > 0 ? links_.ready() : problem_.chunks;
    Per<std::uint32_t> stops;  // 32 - lane, if the chunk `lane` further is not known to be pruned
    warp_.each([&](int lane) {
      const std::int64_t at = chunk + lane, last = problem_.chunks - 1;
      bool pruned = at <= last && wanted_above(at) <= ready;
      if (lane > 0 && pruned && band_ > 0)
#pragma unroll
        for (std::int64_t above = at + band_lag / chunk_columns; above < at + chunks_ahead; ++above)
          pruned = pruned && detail::load_border(problem_.border_base + (above < last ? above : last)) == pruned_base;
      stops[lane] = lane == 0 || pruned ? 0 : static_cast<std::uint32_t>(32 - lane);
    });
    const std::int64_t next = chunk + 32 - largest_of_lanes(warp_, stops);
    warp_.each([&](int lane) {
      if (chunk + lane < next) {
        problem_.border_base_below[chunk + lane] = pruned_base;
        if (special >= 0) problem_.special.base(special)[chunk + lane] = pruned_base;
      }
    });
    if (problem_.checks.sums)
      warp_.each([&](int lane) {
        std::int64_t& first = problem_.checks.first_pruned[band_];
        if (lane == 0 && chunk < first) first = chunk;
      });
    links_.publish(band_, next);
    links_.refresh();
    return next;
  }

  SPEEDWELL_HD
  void compute_chunk(std::int64_t chunk, std::int32_t top_max) {
    if (problem_.prune && top_max - base_ > problem_.window.high) raise_base(top_max - problem_.window.target);
    borders_.pass_top(base_);
    warp_.each([&](int lane) {
      std::uint32_t* saved = memory_.saved + lane;
      strips_[lane].each_word([&](std::uint32_t& word) { *saved = word, saved += 32; });
    });
    Per<std::uint32_t> sampled;
    warp_.each([&](int lane) { sampled[lane] = 0; });
    sweep_chunk<Scores, R>(warp_, strips_, problem_.columns + chunk * chunk_columns, memory_, table_,
                           Costs::of(problem_.constants),
                           [&](int lane, int, int r, std::uint32_t h0, std::uint32_t h1) {
                             if ((r + 1) % sampled_rows == 0 || r == R - 1)
                               sampled[lane] = Pair16::max3(sampled[lane], h0, h1);
                           });
    borders_.store_bottom(chunk, base_);
    links_.publish(band_, chunk + 1);

    std::int32_t v = 0;  // equal in all lanes
    warp_.template largest_of_group<Pair16>(sampled, 32);
    warp_.each([&](int lane) { v = detail::larger(detail::low(sampled[lane]), detail::high(sampled[lane])); });
    entering_ = detail::larger(base_ + v + problem_.window.slack, top_max);
    if (problem_.checks.sums)
      warp_.each([&](int lane) {
        if (lane == 0) detail::raise_to(problem_.checks.maximum + borders_.check_of(chunk), base_ + v);
      });
    links_.refresh();
    consider(chunk, v);
    if (v > problem_.window.high || (base_ > 0 && v < problem_.window.low)) move_base(v);
  }

  /// `v`: the sampled best of the chunk. There is a cell with that score, and none exceeds it by more than the slack.
  SPEEDWELL_HD
  void consider(std::int64_t chunk, std::int32_t v) {
    const std::int64_t minimum = std::int64_t{base_} + v, maximum = minimum + problem_.window.slack;
    if (!links_.may_win(maximum, band_)) return;
    if (v > 0) links_.found(minimum, band_);
    if (candidate_chunk_ < 0 || minimum > candidate_maximum_) {
      save_candidate(chunk, maximum);
    } else {
      locate(chunk);
    }
  }

  SPEEDWELL_HD
  void save_candidate(std::int64_t chunk, std::int64_t maximum) {
    warp_.each([&](int lane) {
      copy_lane(candidate_ + lane, memory_.saved + lane, Memory::state_words);
      copy_lane(candidate_ + 32 * Memory::state_words + lane, memory_.exchange + lane, Memory::exchange_words);
    });
    warp_.synchronize();  // before other lanes write to `exchange`
    candidate_chunk_ = chunk;
    candidate_maximum_ = maximum;
    candidate_base_ = base_;
  }

  /// At the end of the band: finds the best cell of the saved chunk if it may still be the best.
  SPEEDWELL_HD
  void test_candidate() {
    if (candidate_chunk_ < 0) return;
    links_.refresh();
    if (!links_.may_win(candidate_maximum_, band_)) return;
    warp_.each([&](int lane) {
      copy_lane(memory_.saved + lane, candidate_ + lane, Memory::state_words);
      copy_lane(memory_.exchange + lane, candidate_ + 32 * Memory::state_words + lane, Memory::exchange_words);
    });
    base_ = candidate_base_;
    locate(candidate_chunk_);
  }

  /// Sweeps the chunk again with a test of every cell. The strips end in the same state, so that nothing else is saved.
  SPEEDWELL_HD
  void locate(std::int64_t chunk) {
    Per<BandBest> found;  // H relative to the base; row of the band and column of the chunk, from 0
    warp_.each([&](int lane) {
      const std::uint32_t* saved = memory_.saved + lane;
      strips_[lane].each_word([&](std::uint32_t& word) { word = *saved, saved += 32; });
      found[lane] = BandBest{};
    });
    warp_.synchronize();
    const std::int64_t first_column = chunk * chunk_columns;
    const std::int64_t rows_left = problem_.query_length - first_row();
    sweep_chunk<Scores, R>(
        warp_, strips_, problem_.columns + first_column, memory_, table_, Costs::of(problem_.constants),
        [&](int lane, int step, int r, std::uint32_t h0, std::uint32_t h1) {
          BandBest& of_lane = found[lane];
          for (int half = 0; half < 2; ++half)
            for (int i = 0; i < 2; ++i) {
              const std::int32_t score = Pair16::score(i == 0 ? h0 : h1, half);
              const std::int32_t row = lane * 2 * R + half * R + r, column = 2 * step - 4 * lane - 2 * half + i;
              const std::int64_t j = first_column + column;
              if (row < rows_left && j >= 0 && j < problem_.subject_length &&
                  (score > of_lane.score || (score == of_lane.score && row < of_lane.row)))
                of_lane = {score, row, column};
            }
        });
    BandBest best = first_best(warp_, found, memory_.exchange);
    if (best.score == 0) return;
    best = {base_ + best.score, static_cast<std::int32_t>(first_row() + best.row + 1),
            static_cast<std::int32_t>(first_column + best.column + 1)};
    if (comes_before(best, best_)) {
      best_ = best;
      links_.found(best_.score, band_);
    }
  }

  /// Moves the base so that the chunk's best is at the window's target, or sets it to 0.
  SPEEDWELL_HD
  void move_base(std::int32_t v) {
    const std::int32_t wanted = base_ + (v - problem_.window.target);
    const std::int32_t base = wanted > 0 ? wanted : 0;
    const auto difference = static_cast<std::uint32_t>(base - base_) * 0x10001u;
    if (problem_.prune && base > base_) {
      raise_base(base);
      return;
    }
    warp_.each([&](int lane) { strips_[lane].each_word([&](std::uint32_t& word) { word -= difference; }); });
    base_ = base;
  }

  /// Next to pruned chunks scores may be below the new base: they are raised to it.
  SPEEDWELL_HD
  void raise_base(std::int32_t base) {
    const std::int32_t down = base - base_ < Pair16::largest ? base - base_ : Pair16::largest;
    warp_.each([&](int lane) {
      strips_[lane].each_word(
          [&](std::uint32_t& word) { word = Pair16::add_max(word, detail::pack(-down, -down), 0); });
    });
    base_ = base;
  }

  Warp& warp_;
  const BandProblem& problem_;
  std::int64_t band_;
  BandMemory<R>& memory_;
  const char* table_;
  Links& links_;
  std::uint32_t* candidate_;  // BandMemory::saved_words of the warp's own
  std::int64_t candidate_chunk_ = -1, candidate_maximum_ = 0;
  std::int32_t candidate_base_ = 0;
  Per<Strips<Scores, R>> strips_;
  BandBorders<R, Warp> borders_;
  std::int32_t base_ = 0;
  std::int32_t entering_ = 0;  // upper bound of all H that enter the next chunk from the left
  BandBest best_;
};

}  // namespace speedwell::alignment

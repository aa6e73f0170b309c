// Traceback through one segment of a huge pair's table, the rows between two special rows. A warp computes the part of
// the segment that the path may cross, starting from the special row above it, one tile of 32 R rows at a time, with a
// direction for every cell, and follows the directions as align() does. Lanes hold R rows each and are one column
// apart.
//
// The window. Columns to the left of it count as 0, so that computed values are never too large. They are exact on
// every best alignment that ends at the start if none of them leaves the window at its left edge. Going back from
// column c with the score V, one that is at column j <= first when it reaches the segment's top row, or begins before
// that, contains at most `rows` query residues: at least c - j - rows of its subject residues, if that is positive, are
// in gaps. So
//     V <= H(top, j) + rows highest - open - extend (c - j - rows),
// H = 0 if it begins below the top row (F of the top row never exceeds its H). If no j <= first in the top row
// satisfies this, none leaves: the window is certified. H of pruned chunks does not count, because no best alignment is
// there.
//
// More rows than a tile. The last rows of all tiles except the lowest are computed first, in a window that is certified
// from the special row, and stored. Each tile then has a smaller window of its own, certified from the row above it.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu_pair/segment_job.hpp"
#include "speedwell/apps/alignment/gpu_pair/segment_lane.hpp"

namespace speedwell::alignment {

/// The shared memory of a warp.
template <int R>
struct SegmentShared {
  Border top[32];
  SegmentCodes<R> patch[32];  // codes of 32 columns of one lane
};

template <class Warp, int R>
class SegmentTrace {
 public:
  static constexpr int tile_rows = 32 * R;

  /// `scores`: code_limit x code_limit, by codes.
  SPEEDWELL_HD
  SegmentTrace(Warp& warp, const SegmentProblem& problem, const SegmentJob& job, const SegmentMemory<R>& memory,
               SegmentShared<R>& shared, const std::int8_t* scores)
      : warp_(warp),
        problem_(problem),
        job_(job),
        memory_(memory),
        shared_(shared),
        scores_(scores),
        open_and_extend_(problem.gap_open + problem.gap_extend),
        i_(job.rows),
        j_(job.column),
        in_(job.in),
        value_(job.value) {
    if (job.first_row > 0) {
      const std::int64_t k = job.first_row / problem.rows_between - 1;
      special_ = {problem.special.row(k), problem.special.base(k)};
    }
  }

  SPEEDWELL_HD
  SegmentExit run() {
    const int tiles = (job_.rows + tile_rows - 1) / tile_rows;
    if (tiles > 1) {
      limit_ = job_.column > memory_.row_columns ? job_.column - memory_.row_columns : 0;
      certify(top_of(0), 0, limit_, job_.rows);
      for (int t = 0; t + 1 < tiles; ++t) sweep<false>(t, limit_, job_.column);
    }
    for (int t = tiles - 1; t >= 0 && in_ != TraceState::done && !lost_; --t) trace_tile(t);
    flush();
    return {.rows_left = static_cast<std::int32_t>(i_),
            .column = static_cast<std::int32_t>(j_),
            .in = in_,
            .value = value_,
            .certified = certified_,
            .lost = lost_,
            .value_met = value_ + gained_,
            .runs = runs_};
  }

 private:
  using Lane = SegmentLane<R>;
  template <class T>
  using Per = typename Warp::template Per<T>;

  /// The row above a tile: the special row or a stored one.
  struct Top {
    SpecialRow special;
    const Border* kept;
    std::int64_t first;  // kept[0] is that of column first + 1
  };
  SPEEDWELL_HD
  Top top_of(int tile) const {
    return {special_, tile > 0 ? memory_.rows + (tile - 1) * memory_.row_columns : nullptr, limit_};
  }
  SPEEDWELL_HD
  Border at(const Top& top, std::int64_t column) const {
    if (!top.kept) return top.special.at(column, open_and_extend_);
    return column > top.first ? top.kept[column - top.first - 1] : Border{};
  }

  /// Whether no best alignment goes back from the current position, so many rows below `top`, to a column in limit + 1
  /// … first there, or begins in one of those.
  SPEEDWELL_HD
  bool stays(const Top& top, std::int64_t limit, std::int64_t first, std::int64_t rows) {
    if (first <= limit) return true;
    if (j_ - first <= rows) return false;
    const std::int64_t extend = problem_.gap_extend;
    const std::int64_t needed =
        std::int64_t{value_} + problem_.gap_open + extend * (j_ - rows) - rows * problem_.highest;
    if (extend * first >= needed) return false;
    if (!top.kept) return !reaches(warp_, top.special, limit + 1, first, extend, needed);
    Per<std::uint32_t> found;
    warp_.each([&](int lane) {
      found[lane] = 0;
      for (std::int64_t column = limit + 1 + lane; column <= first; column += 32)
        if (static_cast<std::int32_t>(at(top, column).h) + extend * column >= needed) found[lane] = 1;
    });
    return largest_of_lanes(warp_, found) == 0;
  }
  SPEEDWELL_HD
  void certify(const Top& top, std::int64_t limit, std::int64_t first, std::int64_t rows) {
    if (!stays(top, limit, first, rows)) certified_ = 0;
  }

  SPEEDWELL_HD
  void trace_tile(int tile) {
    const std::int64_t top_row = std::int64_t{tile} * tile_rows, rows = i_ - top_row;
    const Top top = top_of(tile);
    const auto first_of = [&](std::int64_t columns) { return j_ - columns > limit_ ? j_ - columns : limit_; };
    std::int64_t columns = first_window(tile_rows);
    while (columns < memory_.code_columns && !stays(top, limit_, first_of(columns), rows)) columns *= 2;
    if (columns > memory_.code_columns) columns = memory_.code_columns;
    const std::int64_t first = first_of(columns);
    certify(top, limit_, first, rows);
    sweep<true>(tile, first, j_);
    warp_.synchronize();
    walk(top_row, first);
    if (in_ != TraceState::done && j_ == 0) in_ = TraceState::done;
    if (in_ == TraceState::done) {
      value_ = 0;
      return;
    }
    lost_ = i_ > top_row || j_ <= first;
    const Border exit = at(top, j_);
    value_ = static_cast<std::int32_t>(in_ == TraceState::f ? exit.f : exit.h);
    if (value_ == 0 && !lost_) in_ = TraceState::done;
  }

  /// Computes a tile in columns first + 1 … last: its directions, or else its last row.
  template <bool with_codes>
  SPEEDWELL_HD
  void sweep(int tile, std::int64_t first, std::int64_t last) {
    const Top top = top_of(tile);
    const std::int64_t columns = last - first;
    Border* const bottom = memory_.rows + tile * memory_.row_columns;
    Per<Lane> lanes;
    Per<Border> below;
    warp_.each([&](int lane) {
      const std::int64_t row = std::int64_t{tile} * tile_rows + lane * R;  // below the segment: any residue
      lanes[lane].begin([&](int r) { return row + r < job_.rows ? problem_.query[job_.first_row + row + r] : 0; });
      below[lane] = {};
    });
    for (std::int64_t step = 0; step < columns + 31; ++step) {
      if (step % 32 == 0) {
        warp_.synchronize();
        warp_.each(
            [&](int lane) { shared_.top[lane] = step + lane < columns ? at(top, first + 1 + step + lane) : Border{}; });
        warp_.synchronize();
      }
      const Per<Border> above = warp_.shift_up(below);
      warp_.each([&](int lane) {
        const std::int64_t column = step - lane;
        if (column < 0 || column >= columns) return;
        SegmentCodes<R> codes;
        below[lane] = lanes[lane].template advance<with_codes>(lane == 0 ? shared_.top[step % 32] : above[lane],
                                                               scores_ + problem_.subject[first + column],
                                                               open_and_extend_, problem_.gap_extend, codes);
        if constexpr (with_codes)
          memory_.codes[step * 32 + lane] = codes;
        else if (lane == 31)
          bottom[column] = below[lane];
      });
    }
    warp_.synchronize();
  }

  /// Follows the directions of the tile below row `top_row`, right of column `first`. All lanes execute the same steps.
  SPEEDWELL_HD
  void walk(std::int64_t top_row, std::int64_t first) {
    std::int64_t patch_lane = -1, patch_column = 0;
    while (i_ > top_row && j_ > first && in_ != TraceState::done) {
      const std::int64_t row = i_ - top_row - 1, column = j_ - first - 1, lane_of_row = row / R;
      if (lane_of_row != patch_lane || column <= patch_column - 32) {
        patch_lane = lane_of_row;
        patch_column = column;
        fetch_patch(patch_lane, patch_column);
      }
      const std::uint32_t word = shared_.patch[patch_column - column].word[row % R / 8];
      follow(word >> (4 * (row % 8)) & 0xf);
    }
  }

  SPEEDWELL_HD
  void fetch_patch(std::int64_t of_lane, std::int64_t last_column) {
    warp_.synchronize();
    warp_.each([&](int lane) {
      const std::int64_t column = last_column - lane;
      if (column >= 0) shared_.patch[lane] = memory_.codes[(column + of_lane) * 32 + of_lane];
    });
    warp_.synchronize();
  }

  SPEEDWELL_HD
  void follow(std::uint32_t cell) {
    if (in_ == TraceState::h) {
      const std::uint32_t of_h = cell & Lane::source;
      if (of_h == Lane::from_diagonal) {
        const std::uint8_t a = problem_.query[job_.first_row + i_ - 1], b = problem_.subject[j_ - 1];
        gained_ += scores_[a * code_limit + b];
        add(a == b ? 0 : 1);
        --i_;
        --j_;
      } else {
        in_ = of_h == Lane::from_e ? TraceState::e : of_h == Lane::from_f ? TraceState::f : TraceState::done;
      }
      return;
    }
    const bool in_e = in_ == TraceState::e, opens = cell & (in_e ? Lane::e_opens : Lane::f_opens);
    add(in_e ? 3 : 2);
    gained_ -= opens ? open_and_extend_ : problem_.gap_extend;
    if (opens) in_ = TraceState::h;
    --(in_e ? j_ : i_);
  }

  SPEEDWELL_HD
  void add(std::uint32_t operation) {
    constexpr std::uint32_t longest = (1u << 30) - 1;
    if (operation != operation_ || count_ == longest) flush();
    operation_ = operation;
    ++count_;
  }
  SPEEDWELL_HD
  void flush() {
    if (count_ == 0) return;
    warp_.each([&](int lane) {
      if (lane == 0) memory_.runs[runs_] = count_ << 2 | operation_;
    });
    ++runs_;
    count_ = 0;
  }

  Warp& warp_;
  const SegmentProblem& problem_;
  const SegmentJob& job_;
  const SegmentMemory<R>& memory_;
  SegmentShared<R>& shared_;
  const std::int8_t* scores_;
  std::int32_t open_and_extend_;
  SpecialRow special_{};
  std::int64_t limit_ = 0;  // the window begins after this column

  std::int64_t i_, j_;  // residues before the position, in the query and in the segment
  TraceState in_;
  std::int32_t value_;       // H or F at the start of the tile, then at its exit
  std::int32_t gained_ = 0;  // score of the path so far
  std::int32_t certified_ = 1, lost_ = 0;
  std::uint32_t operation_ = 0, count_ = 0, runs_ = 0;
};

}  // namespace speedwell::alignment

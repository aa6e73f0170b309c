// Special rows of a huge pair (SpecialRows) for the traceback: H and F in 32 bits, the best cell of a row, and whether
// a cell far to the left could be on a path. A row has a base for each chunk of columns, so that most chunks are
// decided without reading their words. `Warp`: the hardware warp, or HostWarp.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/largest_of_lanes.hpp"

namespace speedwell::alignment {

/// A position's column counts the subject residues before it: from 1 on it is in the row, 0 is the table's edge.
struct SpecialRow {
  const std::uint32_t* words = nullptr;  // null: row 0 of the table, whose values are all 0
  const std::int32_t* bases = nullptr;

  static SPEEDWELL_HD
  std::int64_t chunk_of(std::int64_t column) { return (column - 1 + band_lag) / chunk_columns; }
  static SPEEDWELL_HD
  std::int64_t last_column(std::int64_t chunk) { return (chunk + 1) * chunk_columns - band_lag; }

  /// H, and F with `gap_first` (open + extend) subtracted; F is clamped at 0. Dead chunks count as 0.
  SPEEDWELL_HD
  Border at(std::int64_t column, std::int32_t gap_first) const {
    if (!words || column < 1) return {};
    const std::int32_t base = bases[chunk_of(column)];
    if (base == pruned_base) return {};
    const std::uint32_t word = words[column - 1];
    return {static_cast<std::uint32_t>(base + detail::low(word)),
            static_cast<std::uint32_t>(detail::larger(base + detail::high(word) - gap_first, 0))};
  }

  /// Calls see(column, H) for those of the chunk's columns that are in first … last.
  template <class See>
  SPEEDWELL_HD
  void each_of_chunk(std::int64_t chunk, std::int64_t first, std::int64_t last, const See& see) const {
    const std::int64_t begin = last_column(chunk - 1) + 1, end = last_column(chunk);
    for (std::int64_t column = begin < first ? first : begin; column <= (end < last ? end : last); ++column)
      see(column, bases[chunk] + detail::low(words[column - 1]));
  }
};

/// Whether H + extend * column is at least `needed` in one of the columns first … last.
template <class Warp>
SPEEDWELL_HD
bool reaches(Warp& warp, const SpecialRow& row, std::int64_t first, std::int64_t last, std::int64_t extend,
             std::int64_t needed) {
  if (!row.words || first > last) return false;
  typename Warp::template Per<std::uint32_t> found;
  warp.each([&](int lane) {
    found[lane] = 0;
    for (std::int64_t k = SpecialRow::chunk_of(first) + lane; k <= SpecialRow::chunk_of(last); k += 32) {
      const std::int64_t base = row.bases[k];
      if (base == pruned_base || base + Pair16::largest + extend * SpecialRow::last_column(k) < needed) continue;
      row.each_of_chunk(k, first, last, [&](std::int64_t column, std::int32_t h) {
        if (h + extend * column >= needed) found[lane] = 1;
      });
    }
  });
  return largest_of_lanes(warp, found) != 0;
}

struct RowBest {
  std::int32_t score = 0, column = 0;
};
/// The largest H of columns 1 … last, the leftmost of equal ones; all 0 if none is positive.
template <class Warp>
SPEEDWELL_HD
RowBest best_of_row(Warp& warp, const SpecialRow& row, std::int64_t last) {
  const std::int64_t last_chunk = SpecialRow::chunk_of(last);
  typename Warp::template Per<std::uint32_t> maximum;
  warp.each([&](int lane) {
    std::int32_t base = 0;
    for (std::int64_t k = lane; k <= last_chunk; k += 32) base = detail::larger(base, row.bases[k]);
    maximum[lane] = static_cast<std::uint32_t>(base);
  });
  const std::int64_t minimum = largest_of_lanes(warp, maximum);  // no H is below its chunk's base
  typename Warp::template Per<RowBest> best;
  warp.each([&](int lane) {
    RowBest of_lane;
    for (std::int64_t k = lane; k <= last_chunk; k += 32) {
      const std::int64_t base = row.bases[k];
      if (base == pruned_base || base + Pair16::largest < minimum) continue;
      row.each_of_chunk(k, 1, last, [&](std::int64_t column, std::int32_t h) {
        if (h > of_lane.score) of_lane = {h, static_cast<std::int32_t>(column)};
      });
    }
    best[lane] = of_lane;
    maximum[lane] = static_cast<std::uint32_t>(of_lane.score);
  });
  const std::int32_t score = largest_of_lanes(warp, maximum);
  if (score == 0) return {};
  warp.each([&](int lane) {
    maximum[lane] = best[lane].score == score ? static_cast<std::uint32_t>(INT32_MAX - best[lane].column) : 0;
  });
  return {score, INT32_MAX - largest_of_lanes(warp, maximum)};
}

}  // namespace speedwell::alignment

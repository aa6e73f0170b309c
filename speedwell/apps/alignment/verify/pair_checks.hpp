// The checks that a sweep of one huge pair in bands of rows records for its verdict: for each block of columns a
// checksum of every band's last row and the largest H, to be compared with those of another implementation's whole
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"

namespace speedwell::alignment {

/// The checks of a pair, as the device keeps them (gpu_pair/band_problem.hpp says what they are): [band * blocks() +
/// block] of sums and maximum, and for each band the first of its chunks that was pruned.
struct PairChecks {
  PairChecks() = default;
  /// The checks before any sweep: sums and maxima are 0, and no chunk is pruned. `strip_rows`: query rows of a strip,
  /// of which each lane has two.
  PairChecks(std::int64_t query_length, std::int64_t subject_length, int strip_rows);

  std::vector<std::uint32_t> sums;
  std::vector<std::int32_t> maximum;
  std::vector<std::int64_t> first_pruned;

  std::int64_t query_length = 0, subject_length = 0;
  int strip_rows = 0;  // 0: there are no checks
  static std::int64_t blocks();
  std::int64_t band_rows() const { return 64 * std::int64_t{strip_rows}; }
  std::int64_t bands() const { return strip_rows == 0 ? 0 : (query_length + band_rows() - 1) / band_rows(); }
  /// The index of the check that the cell (row, column), counted from 0, is part of: the columns of a band's rows are a
  /// few apart, so that a block's cells are not a rectangle.
  std::size_t index_of(std::int64_t row, std::int64_t column) const;
  /// The index of the check of a column of a band's last row.
  std::size_t index_of_last_row(std::int64_t band, std::int64_t column) const;
};

/// A cell that is known to have this H or more, counted from 0.
struct KnownCell {
  std::int64_t row = 0, column = 0;
  std::int32_t score = 0;
};

/// What the checks of a pair must be.
struct ExpectedChecks {
  EndPoint end;                  // where these come from a whole table
  PairChecks checks;             // `sums` exact, of bands that do not go past the query; `maximum` no block may exceed
  std::vector<KnownCell> cells;  // found in their blocks: the best ones of the tiles of each band, or planted ones
  bool whole = true;             // false: of `cells` alone
};
/// From a sweep of the whole table by the openmp variant: rows of tiles are bands. `of`: how the checks are cut up.
/// `threads`: 0: all that OpenMP has.
ExpectedChecks expected_checks(Codes query, Codes subject, const Scoring& scoring, const PairChecks& of,
                               int threads = 0);

/// The number of blocks where `got` is not what is expected: another checksum, an H above the largest possible one, or
/// a largest H below that of a known cell of the block by more than a gap costs from that cell down to the next sampled
/// row (only every fourth row is sampled). Of blocks to the right of and below pruned chunks only the upper bound of H
/// is checked; their number is added to `passed_over`. If the shape of `got` is another, all blocks are wrong.
std::size_t wrong_checks(const ExpectedChecks& expected, const PairChecks& got, const Scoring& scoring,
                         std::size_t* passed_over = nullptr);

}  // namespace speedwell::alignment

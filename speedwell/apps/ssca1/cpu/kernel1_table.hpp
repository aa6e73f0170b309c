// Common parts of the algorithms for the table of kernel 1. The state of a table between two columns is H and E of all
// rows, and between two rows H and F of all columns:
//
//   E(i,j) = max(E(i,j-1), H(i,j-1) - gap_open) - gap_extend      a gap along the row: symbols of main without partner
//   F(i,j) = max(F(i-1,j), H(i-1,j) - gap_open) - gap_extend      a gap along the column
//   H(i,j) = max(H(i-1,j-1) + S(i,j), E(i,j), F(i,j), 0)
//
// On a border H = 0, and E and F may have any value that is not positive, because they then do not affect H.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "speedwell/apps/ssca1/cpu/kernel1_candidates.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_peak.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

struct TableProblem {
  Codes main, match;
  const Scoring& scoring;
  EndpointRules rules;
  OwnedColumns owned{};

  std::int64_t columns() const { return static_cast<std::int64_t>(main.size()); }
  std::int64_t rows() const { return static_cast<std::int64_t>(match.size()); }
  std::int32_t pair(std::int64_t row, std::int64_t column) const {
    return scoring.score(match[static_cast<std::size_t>(row)], main[static_cast<std::size_t>(column)]);
  }
  /// Whether the cell of row and column (from 0) with value h, and `diagonal` before it, is a candidate; h is at least
  /// the minimum score.
  bool keeps_rules(std::int64_t row, std::int64_t column, std::int32_t h, std::int32_t diagonal) const {
    return rules.mode == EndpointRules::Mode::plain ||
           is_peak(row, column, rows(), columns(), h - diagonal,
                   [this](std::int64_t i, std::int64_t j) { return pair(i, j); });
  }
  void look_at(std::int64_t row, std::int64_t column, std::int32_t h, std::int32_t diagonal, Candidates& found) const {
    if (h >= found.threshold() && keeps_rules(row, column, h, diagonal)) found.add({h, column + 1, row + 1});
  }
};

/// H and E of the rows at a column.
struct ColumnState {
  std::vector<std::int32_t> h, e;
  explicit ColumnState(std::int64_t rows)
      : h(static_cast<std::size_t>(rows), 0), e(static_cast<std::size_t>(rows), 0) {}
  ColumnState() = default;
};

/// Computes rows first_row … first_row + rows - 1 (from 0) of columns first … last - 1, cell by cell. h and e are the
/// state to the left and return that of the last column. `top_h` and `top_f`, one entry per column, are the state above
/// and return that of the last row; null is the border of the table. `corner` is H above the first row in the column
/// before the first. Candidates are added to `found` unless it is null.
void scan_block(const TableProblem& table, std::int64_t first_row, std::int64_t rows, std::int64_t first,
                std::int64_t last, std::int32_t* h, std::int32_t* e, std::int32_t* top_h, std::int32_t* top_f,
                std::int32_t corner, Candidates* found);

/// Computes columns first … last - 1 in tiles, a wavefront of them on all threads, each by anti-diagonals in 32 bits.
void sweep_tiles(const TableProblem& table, std::int64_t first, std::int64_t last, ColumnState& state,
                 Candidates& found, const Options& options);

/// Throws std::invalid_argument for invalid rules or sequences whose scores could exceed 2^30.
void require_valid(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules);

Endpoints serial_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                       const Options& options);
Endpoints tiled_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                      const Options& options);
Endpoints anti_diagonal_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                              const Options& options);
Endpoints row_scan_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                         const Options& options);
Endpoints overlap_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                        const Options& options);

}  // namespace speedwell::ssca1

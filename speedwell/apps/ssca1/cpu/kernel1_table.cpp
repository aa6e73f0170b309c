#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"

#include <stdexcept>
#include <string>

namespace speedwell::ssca1 {

void require_valid(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
  if (rules.minimum_score < 1)
    throw std::invalid_argument("minimum score " + std::to_string(rules.minimum_score) + ": it must be at least 1");
  if (rules.separation < 0 || rules.separation > std::int64_t{1} << 32)
    throw std::invalid_argument("separation " + std::to_string(rules.separation) + ": it must be from 0 to 2^32");
  require_exact(scoring, main, match);
}

void scan_block(const TableProblem& table, std::int64_t first_row, std::int64_t rows, std::int64_t first,
                std::int64_t last, std::int32_t* h, std::int32_t* e, std::int32_t* top_h, std::int32_t* top_f,
                std::int32_t corner, Candidates* found) {
  const std::int32_t open = table.scoring.gap_open(), extend = table.scoring.gap_extend();
  std::int32_t threshold = found ? found->threshold() : INT32_MAX;
  for (std::int64_t j = first; j < last; ++j) {
    const std::int64_t top = j - first;
    std::int32_t diagonal = corner, above = top_h ? top_h[top] : 0, f = top_f ? top_f[top] : 0;
    corner = above;
    for (std::int64_t r = 0; r < rows; ++r) {
      e[r] = std::max(e[r], h[r] - open) - extend;
      f = std::max(f, above - open) - extend;
      const std::int32_t paired = diagonal + table.pair(first_row + r, j);
      above = std::max({paired, e[r], f, 0});
      if (above >= threshold) {
        table.look_at(first_row + r, j, above, diagonal, *found);
        threshold = found->threshold();
      }
      diagonal = h[r];
      h[r] = above;
    }
    if (top_h) top_h[top] = above;
    if (top_f) top_f[top] = f;
  }
}

Endpoints serial_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules, const Options&) {
  require_valid(main, match, scoring, rules);
  const TableProblem table{main, match, scoring, rules};
  ColumnState state(table.rows());
  Candidates found(rules);
  scan_block(table, 0, table.rows(), 0, table.columns(), state.h.data(), state.e.data(), nullptr, nullptr, 0, &found);
  return found.finish();
}

std::span<const TableVariant> table_variants() {
  static constexpr TableVariant variants[] = {
      {"serial", "cell by cell, column after column, in memory linear in match", false, serial_table},
      {"anti-diagonal", "one anti-diagonal after another, its cells on all threads", true, anti_diagonal_table},
      {"row-scan", "one row after another, gaps along it by a decaying maximum scan on all threads", true,
       row_scan_table},
      {"overlap", "sections of main that overlap by the longest alignment there can be", true, overlap_table},
      {"tiles", "a wavefront of tiles on all threads, anti-diagonals of 32-bit lanes in each", true, tiled_table},
      {"sections", "a section of main per 8-bit lane, corrected where its beginning mattered", true, pairwise_align},
  };
  return variants;
}

}  // namespace speedwell::ssca1

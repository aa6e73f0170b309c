// Kernel 1 row by row, as in the dissertation of 2012 (equations 4.3 to 4.5, appendix A): first the terms that depend
// on the previous row, then the gaps along the row by a scan.
//
//   F(i,j)  = max(F(i-1,j), H(i-1,j) - gap_open) - gap_extend
//   H~(i,j) = max(H(i-1,j-1) + S(i,j), F(i,j), 0),   H~(i,0) = 0
//   E~(i,j) = max over 1 <= k <= j of H~(i,j-k) - k gap_extend
//   H(i,j)  = max(H~(i,j), E~(i,j) - gap_open)
//
// This equals the recurrence of kernel1_table.hpp because gap_open >= 0: opening a second gap at the end of the first
// one is never better than extending the first one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// All rows of a small problem: match.size() x main.size(), row-major, without borders.
struct RowScanTables {
  std::vector<std::int32_t> h, h_row, e_row, f;  // H, H~, E~, F
};
RowScanTables row_scan_tables(Codes main, Codes match, const Scoring& scoring, const Options& options = {});

/// The decaying maximum scan: values[p] <- max over k >= 1 of values[p - k] - k decay, and at least -(p + 1) decay +
/// decay at every p (the dissertation's appendix B): an up-sweep and a down-sweep over a tree in the array itself.
/// values[0] is the border column, which remains 0. Throws std::invalid_argument unless the size is a power of two.
void exclusive_decaying_maximum(std::span<std::int32_t> values, std::int32_t decay);

}  // namespace speedwell::ssca1

// Kernel 1 of SSCA#1 in 32 bits: a tile of the table by anti-diagonals, whose cells are independent. The index of a row
// in the arrays is the same on every diagonal; index 0 is the row above the tile.
#include "speedwell/apps/ssca1/cpu/kernels.hpp"

namespace speedwell::ssca1::SPEEDWELL_ISA {
namespace {

/// Computes rows first … last of one diagonal; `main` points to the symbol of row 0. Returns the highest H.
inline std::int32_t diagonal(const TileBatch& batch, std::int32_t first, std::int32_t last,
                             const std::int32_t* __restrict match_rows, const std::uint8_t* __restrict main,
                             const std::int32_t* __restrict h2, const std::int32_t* __restrict h1,
                             std::int32_t* __restrict h0, std::int32_t* __restrict e, const std::int32_t* __restrict f1,
                             std::int32_t* __restrict f0) {
  const std::int32_t* __restrict scores = batch.scores;
  const std::int32_t open = batch.gap_open, extend = batch.gap_extend;
  std::int32_t best = 0;
  for (std::int32_t r = first; r <= last; ++r) {
    const std::int32_t from_left = h1[r + 1] - open, from_above = h1[r] - open;
    const std::int32_t gap_e = (e[r + 1] > from_left ? e[r + 1] : from_left) - extend;
    const std::int32_t gap_f = (f1[r] > from_above ? f1[r] : from_above) - extend;
    std::int32_t h = h2[r] + scores[match_rows[r] + main[r]];
    h = h > gap_e ? h : gap_e;
    h = h > gap_f ? h : gap_f;
    h = h > 0 ? h : 0;
    best = best > h ? best : h;
    e[r + 1] = gap_e;
    f0[r + 1] = gap_f;
    h0[r + 1] = h;
  }
  return best;
}

}  // namespace

void tile(const TileBatch& batch) {
  const std::int32_t rows = batch.rows, columns = batch.columns, stride = rows + 1;
  std::int32_t *h0 = batch.workspace, *h1 = h0 + stride, *h2 = h1 + stride;
  std::int32_t* const e = h2 + stride;
  std::int32_t *f0 = e + stride, *f1 = f0 + stride;
  std::int32_t* const match_rows = f1 + stride;
  for (std::int32_t r = 0; r < rows; ++r) {
    match_rows[r] = batch.match[r] * batch.symbols;
    // A row that has not started holds the column before the tile.
    h0[r + 1] = h1[r + 1] = h2[r + 1] = batch.h_left[r];
    e[r + 1] = batch.e_left[r];
    f0[r + 1] = f1[r + 1] = 0;
  }
  std::int32_t threshold = batch.threshold, top_before = batch.corner;
  for (std::int32_t d = 0; d < rows + columns - 1; ++d) {
    h2[0] = top_before;
    if (d < columns) {
      h1[0] = top_before = batch.h_top[d];
      f1[0] = batch.f_top[d];
    }
    const std::int32_t first = d < columns ? 0 : d - columns + 1, last = d < rows ? d : rows - 1;
    const std::int32_t highest =
        diagonal(batch, first, last, match_rows, batch.main_reversed + (columns - 1 - d), h2, h1, h0, e, f1, f0);
    if (highest >= threshold) threshold = batch.found(batch.context, d, first, last, h0 + 1, h2);
    if (d >= columns - 1) {  // the last column of the tile
      batch.h_left[first] = h0[first + 1];
      batch.e_left[first] = e[first + 1];
    }
    if (d >= rows - 1) {  // the last row of the tile
      batch.h_top[d - rows + 1] = h0[rows];
      batch.f_top[d - rows + 1] = f0[rows];
    }
    std::int32_t* const oldest = h2;
    h2 = h1;
    h1 = h0;
    h0 = oldest;
    std::int32_t* const f_before = f1;
    f1 = f0;
    f0 = f_before;
  }
}

}  // namespace speedwell::ssca1::SPEEDWELL_ISA

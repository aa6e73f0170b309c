// The cells of a lane that traces a segment (segment_trace.hpp): R rows of one column, with their directions.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"

namespace speedwell::alignment {

/// R directions of four bits: those of a lane's cells in one column.
template <int R>
struct alignas(R / 2) SegmentCodes {
  std::uint32_t word[R / 8];
};

template <int R>
struct SegmentLane {
  // A direction: the origin of H (0: it is 0), and whether E and F come only from H. A gap that could also begin later
  // is continued.
  static constexpr std::uint32_t from_diagonal = 1, from_e = 2, from_f = 3, source = 3, e_opens = 4, f_opens = 8;

  std::int32_t h[R], e[R];        // of the previous column; E and F are clamped at 0, below which they do not matter
  std::uint32_t residues[R / 4];  // four per word
  std::int32_t diagonal;          // H of the row above in the previous column

  /// All values left of the first column are 0. `residue(r)`: the query residue of row r.
  template <class Residue>
  SPEEDWELL_HD
  void begin(const Residue& residue) {
#pragma unroll
    for (int r = 0; r < R; ++r) h[r] = e[r] = 0;
#pragma unroll
    for (int w = 0; w < R / 4; ++w) {
      residues[w] = 0;
      for (int r = 0; r < 4; ++r) residues[w] |= static_cast<std::uint32_t>(residue(4 * w + r)) << (8 * r);
    }
    diagonal = 0;
  }

  /// Computes the next column, below `above`, and returns the border to the row below. `scores`: that of the column's
  /// residue with query residue 0, the other ones follow at distances of code_limit. `first`, `next`: the costs of a
  /// gap's first residue and of each further one.
  template <bool with_codes>
  SPEEDWELL_HD
  Border advance(Border above, const std::int8_t* scores, std::int32_t first, std::int32_t next,
                 SegmentCodes<R>& codes) {
    using detail::larger;
    std::int32_t up = static_cast<std::int32_t>(above.h), f = static_cast<std::int32_t>(above.f);
    std::int32_t before = diagonal;
    diagonal = up;
    std::uint32_t word = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const std::int32_t left = h[r], e_longer = e[r] - next, f_longer = f - next;
      e[r] = larger(larger(e_longer, left - first), 0);
      f = larger(larger(f_longer, up - first), 0);
      const std::int32_t paired = before + scores[(residues[r / 4] >> (8 * (r % 4)) & 0xff) * code_limit];
      h[r] = larger(larger(paired, e[r]), f);
      if constexpr (with_codes) {
        const std::uint32_t of_h = h[r] == 0 ? 0 : h[r] == paired ? from_diagonal : h[r] == e[r] ? from_e : from_f;
        word |= (of_h | (e[r] > e_longer ? e_opens : 0) | (f > f_longer ? f_opens : 0)) << (4 * (r % 8));
        if (r % 8 == 7) {
          codes.word[r / 8] = word;
          word = 0;
        }
      }
      before = left;
      up = h[r];
    }
    return {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(f)};
  }
};

}  // namespace speedwell::alignment

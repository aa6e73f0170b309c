// The inner loops for one pair, compiled once for each instruction set: a tile of the table of alignment.hpp between
// its borders. Raw pointers only, see core/isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace speedwell::alignment {

/// A rectangle of the table. Borders hold H of the cells before it, and E and F as they enter its first cells:
/// left_e[i] is E of row i, first column, top_f[j] F of the first row, column j; none is below 0 (they do not matter
/// there). After score() they hold the same for the tiles to the right and below.
struct Tile {
  const std::uint8_t* query;    // a residue for each row
  std::size_t rows;             // at least 1
  const std::uint8_t* subject;  // a residue for each column
  std::size_t columns;          // at least 1; the right border is right only for a multiple of tile_columns_multiple
  const std::uint8_t* query_symbols;  // the different codes of the query, at most 31, all below 31
  int query_symbol_count;
  const std::int8_t* scores;  // 32 x 32
  std::int32_t gap_first,
      gap_next;                   // cost of the first and of each further residue of a gap, gap_first >= gap_next >= 0
  std::int32_t highest;           // highest score of the matrix, at least 0
  std::int32_t *top_h, *top_f;    // columns
  std::int32_t *left_h, *left_e;  // rows
  std::int32_t corner;            // H of the cell above and left
  std::int32_t base;              // H of the smallest value of a lane; below every H - gap_first of the tile
  std::int32_t threshold;         // minimum H to look for, at least 1
  std::int32_t best;              // out: the largest H, or 0 if it is below the threshold
  std::size_t best_row, best_column;  // out: the first row that has it, and its first column that does
  unsigned char* workspace;           // tile_workspace_bytes(…), aligned to 64 bytes
};

/// The same function for lanes of 8, 16 and 32 bits.
struct TileKernel {
  std::int64_t range;  // H - base of a lane is 0 … range
  std::int64_t max_gap_first;
  /// False, with the borders as they were, if some H may not fit: exceeds base + range - highest.
  bool (*score)(Tile& tile);
};
struct TileKernels {
  TileKernel bits8, bits16, bits32;
};

inline constexpr std::size_t tile_columns_multiple = 64;

/// Enough for lanes of any width up to 32 bits and vectors of any length up to 64 bytes.
inline constexpr std::size_t tile_workspace_bytes(std::size_t rows, std::size_t columns, int symbols) {
  const std::size_t padded = (columns + 63) / 64 * 64;
  return (static_cast<std::size_t>(symbols) * 4 + 3 * 4 + 2) * padded + (rows + 64) / 64 * 64 * 8;
}

namespace baseline {
extern const TileKernels tile_kernels;
}
#if defined(__x86_64__)
namespace sse41 {
extern const TileKernels tile_kernels;
}
namespace avx2 {
extern const TileKernels tile_kernels;
}
namespace avx512 {
extern const TileKernels tile_kernels;
}
#endif

}  // namespace speedwell::alignment

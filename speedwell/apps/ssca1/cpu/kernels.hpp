// The inner loops of kernels 1, 3 and 4, compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::ssca1 {

/// The number of 32-bit lanes in a batch of kernels 3 and 4: one AVX-512 register, two or four of other ones.
inline constexpr int wide_lanes = 16;

/// Kernel 4: one sequence against another one in each lane.
struct DifferenceBatch {
  const std::uint8_t* sequence;
  std::size_t length;
  // columns[y * wide_lanes + lane]: symbol y of the lane's sequence; arbitrary after its end
  const std::int32_t* columns;
  std::size_t column_count;  // length of the longest sequence
  std::int32_t mismatch, space;
  std::int32_t* row;  // (column_count + 1) * wide_lanes, aligned to 64 bytes; returns the costs of all prefixes
};

/// Kernel 3: one query per lane against columns first … last - 1 of main, computed as if main began there.
struct SimilarBatch {
  const std::uint8_t* main;
  std::int64_t first, last;
  std::int64_t owned;           // the first column whose regions are reported
  std::size_t rows;             // length of the longest query
  const std::int32_t* lengths;  // length of each lane's query; 0 for an unused lane
  const std::int32_t* profile;  // profile[(symbol * rows + x) * wide_lanes + lane], aligned to 64 bytes; or null:
  const std::uint8_t* queries;  // queries[x * wide_lanes + lane], arbitrary after the end of a query, and
  const std::int32_t* scores;   // scores[query symbol * symbols + main symbol]
  std::int32_t symbols;
  std::int32_t gap_open, gap_extend, minimum_score;
  std::int32_t* workspace;  // 4 * (rows + 1) * wide_lanes, aligned to 64 bytes
  /// Called for each lane of each owned column with a sufficient score; the path begins at column first + begin.
  /// Columns are counted from 0.
  void (*found)(void* context, int lane, std::int64_t column, std::int32_t score, std::int32_t begin);
  void* context;
};

/// The filter of kernel 3, which computes only scores: a query of L symbols in each 8-bit lane. With T the minimum
/// score and M the highest score of a pair, a cell matters only if V(x,y) >= T - M (L - x), and the stored value is the
/// excess
///   U(x,y) = V(x,y) - T + 1 + M (L - x), or 0 if that is negative,
/// so that a pair costs M - S(x,y), an unpaired symbol of main gap_extend and one of the query gap_extend + M, and
/// values never increase. Queries end in the last row; the rows before a shorter one hold U(0,y) = M L - T + 1.
struct FilterBatch {
  const std::uint8_t* main;
  std::int64_t first, last;
  std::int64_t owned;           // the first column that is tested
  std::size_t rows;             // length of the longest query
  const std::uint8_t* losses;   // losses[(symbol * rows + x) * lanes + lane], aligned to 64 bytes
  const std::uint8_t* initial;  // initial[x * lanes + lane], x = 0 ... rows: the column before main, aligned likewise
  std::uint8_t e_first, e_next, f_first, f_next;  // costs of gaps: e in the query, f in main
  std::uint8_t* workspace;                        // 2 * (rows + 1) * lanes, aligned to 64 bytes
  /// Called for each owned column in which some lane has U(L,y) > 0, with U(L,y) of all lanes.
  void (*found)(void* context, std::int64_t column, const std::uint8_t* u);
  void* context;
};
struct FilterKernel {
  int lanes;
  void (*filter)(const FilterBatch& batch);
};

/// Kernel 1: one section of main per lane, with all of match and `columns` columns. The scores of a lane are stored as
/// offset + score in its narrow type.
struct SectionBatch {
  const std::uint8_t* match;
  std::size_t match_length;
  const std::uint8_t* match_codes;  // the distinct codes of match
  int match_code_count;
  const std::int8_t* scores;        // 256 for each code of match; the score of padding_code is 0
  bool few_symbols;                 // whether all codes of main are below 64, except for padding
  const std::uint8_t* const* main;  // first column of each lane
  const std::size_t* lengths;       // number of columns of each lane, followed by padding
  std::size_t columns;              // columns of the longest lane
  std::int64_t gap_first;           // cost of a gap of one symbol
  std::int64_t gap_next;            // cost of each further symbol
  std::int64_t margin;              // at least gap_first + gap_next and -(lowest score)
  std::int64_t highest;             // highest score of a pair, at least 0
  // state_bytes() each, aligned to 64; the first is the state before the first column, and returns that after the last
  // one
  unsigned char* states[2];
  /// Called for a lane if a block of columns has a score of at least the lane's threshold, with H and E of the column
  /// before the block. Returns the lane's new threshold, or stop_sweep. Null: there is no search.
  std::int64_t (*block_found)(void* context, int lane, std::size_t first_column, const std::int32_t* h,
                              const std::int32_t* e);
  void* context;
  std::int64_t* thresholds;  // one per lane
  std::int32_t* column;      // 2 * match_length, for block_found
};
/// The code of columns after a lane's end: byte shuffles yield 0, because bit 7 is set.
inline constexpr std::uint8_t padding_code = 255;
inline constexpr int section_block = 4;  // columns
inline constexpr std::int64_t stop_sweep = -1;

struct SectionKernel {
  int lanes;
  std::int64_t capacity;  // the largest exact score for a margin and highest score of 0
  std::size_t state_bytes_per_row;
  /// Returns false if a score does not fit the lane's type, or if block_found has stopped the sweep: the results are
  /// invalid.
  bool (*sweep)(const SectionBatch& batch);
  /// Copy H and E of all rows between a lane of a state and plain arrays. A negative E is stored as 0, which has the
  /// same effect.
  void (*load)(const SectionBatch& batch, int lane, const std::int32_t* h, const std::int32_t* e);
  void (*store)(const SectionBatch& batch, int lane, std::int32_t* h, std::int32_t* e);
};

/// Kernel 1: a tile by anti-diagonals in 32 bits. Rows and columns are counted from 0 in the tile.
struct TileBatch {
  const std::uint8_t* match;          // the rows of the tile
  const std::uint8_t* main_reversed;  // the columns of the tile in reverse order
  std::int32_t rows, columns;
  const std::int32_t* scores;  // scores[match symbol * symbols + main symbol]
  std::int32_t symbols, gap_open, gap_extend;
  std::int32_t *h_left, *e_left;  // state of the previous column; returns that of the last column
  std::int32_t *h_top, *f_top;    // state of the row above; returns that of the last row
  std::int32_t corner;            // H of the row above in the previous column
  std::int32_t* workspace;        // 7 * (rows + 1)
  std::int32_t threshold;
  /// Called for a diagonal with a score of at least the threshold: row `row` of first ... last is in column diagonal -
  /// row and has h[row]; h_before[row] is the previous H on the same table diagonal. Returns the new threshold.
  std::int32_t (*found)(void* context, std::int32_t diagonal, std::int32_t first, std::int32_t last,
                        const std::int32_t* h, const std::int32_t* h_before);
  void* context;
};

struct Kernels {
  void (*differences)(const DifferenceBatch& batch);
  void (*similar)(const SimilarBatch& batch);
  FilterKernel filter8;
  SectionKernel sections8, sections16;
  void (*tile)(const TileBatch& batch);
};
/// Throws std::invalid_argument if the processor does not support the instruction set.
const Kernels& kernels(core::Isa isa);

}  // namespace speedwell::ssca1

// The inner loops of kernels 1, 3 and 4, compiled once for each instruction set. Raw pointers only, see core/isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/core/isa.hpp"

namespace speedwell::alignment::ssca1 {

/// Lanes of 32 bits in which kernels 3 and 4 get their work: one AVX-512 register, two or four of the others.
inline constexpr int wide_lanes = 16;

/// Kernel 4: one sequence against one in each lane.
struct DifferenceBatch {
  const std::uint8_t* sequence;
  std::size_t length;
  const std::int32_t* columns;  // columns[y * wide_lanes + lane]: symbol y of the lane's sequence; any beyond its end
  std::size_t column_count;     // of the longest
  std::int32_t mismatch, space;
  std::int32_t* row;  // (column_count + 1) * wide_lanes, aligned to 64 bytes: the costs of all prefixes, on return
};

/// Kernel 3: a query in each lane against a part of main, columns first … last - 1, begun as if main began there.
struct SimilarBatch {
  const std::uint8_t* main;
  std::int64_t first, last;
  std::int64_t owned;           // the first column whose places are wanted
  std::size_t rows;             // of the longest query
  const std::int32_t* lengths;  // of each lane's query; 0 for a lane without one
  const std::int32_t* profile;  // profile[(symbol * rows + x) * wide_lanes + lane], aligned to 64 bytes; or null:
  const std::uint8_t* queries;  // queries[x * wide_lanes + lane], any beyond a query's end, and
  const std::int32_t* scores;   // scores[query symbol * symbols + main symbol]
  std::int32_t symbols;
  std::int32_t gap_open, gap_extend, minimum_score;
  std::int32_t* workspace;  // 4 * (rows + 1) * wide_lanes, aligned to 64 bytes
  /// Called for each lane of each owned column whose score is enough; the path begins at column first + begin. Columns
  /// count from 0.
  void (*found)(void* context, int lane, std::int64_t column, std::int32_t score, std::int32_t begin);
  void* context;
};

/// Kernel 3 again, scores alone: a query of L symbols in each 8-bit lane. With T the least score wanted and M the
/// highest of a pair, a cell matters only if V(x,y) >= T - M (L - x), and what is kept is how much more it has:
///   U(x,y) = V(x,y) - T + 1 + M (L - x), or 0 if that is negative
/// so that a pair loses M - S(x,y), a symbol of main without partner gap_extend and one of the query gap_extend + M,
/// and nothing ever gains. Queries end in the last row; rows before a shorter one hold U(0,y) = M L - T + 1.
struct FilterBatch {
  const std::uint8_t* main;
  std::int64_t first, last;
  std::int64_t owned;           // the first column that is looked at
  std::size_t rows;             // of the longest query
  const std::uint8_t* losses;   // losses[(symbol * rows + x) * lanes + lane], aligned to 64 bytes
  const std::uint8_t* initial;  // initial[x * lanes + lane], x = 0 ... rows: the column before main, likewise
  std::uint8_t e_first, e_next, f_first, f_next;  // what gaps lose: e those in the query, f those in main
  std::uint8_t* workspace;                        // 2 * (rows + 1) * lanes, aligned to 64 bytes
  /// Called for each owned column where a lane has U(L,y) > 0, with U(L,y) of all lanes.
  void (*found)(void* context, std::int64_t column, const std::uint8_t* u);
  void* context;
};
struct FilterKernel {
  int lanes;
  void (*filter)(const FilterBatch& batch);
};

/// Kernel 1, one section of main in each lane: all of match, `columns` columns. Scores of a lane are kept as
/// offset + score in its narrow type.
struct SectionBatch {
  const std::uint8_t* match;
  std::size_t match_length;
  const std::uint8_t* letters;  // the different codes of match
  int letter_count;
  const std::int8_t* scores;        // 256 for each code of match; that of padding_code is 0
  bool few_symbols;                 // codes of main are below 64, padding apart
  const std::uint8_t* const* main;  // of each lane, its first column
  const std::size_t* lengths;       // of each lane, its columns; beyond them is padding
  std::size_t columns;              // of the longest
  std::int64_t gap_first;           // cost of a gap of one letter
  std::int64_t gap_next;            // of each further letter
  std::int64_t margin;              // gap_first + gap_next or more, and not below -(lowest score)
  std::int64_t highest;             // score, at least 0
  unsigned char* states[2];  // state_bytes() each, aligned to 64; the first is where the columns begin, and holds
                             // the last column on return
  /// Called for a lane when a block of columns has a score of at least the lane's threshold, with H and E of the column
  /// before the block; returns the lane's new threshold, or stop_sweep. Null: nothing is looked for.
  std::int64_t (*block_found)(void* context, int lane, std::size_t first_column, const std::int32_t* h,
                              const std::int32_t* e);
  void* context;
  std::int64_t* thresholds;  // of each lane
  std::int32_t* column;      // 2 * match_length, for block_found
};
/// Columns past a lane's end: bit 7 makes the byte shuffles give 0.
inline constexpr std::uint8_t padding_code = 255;
inline constexpr int section_block = 4;  // columns
inline constexpr std::int64_t stop_sweep = -1;

struct SectionKernel {
  int lanes;
  std::int64_t capacity;  // largest score that could be told if margin and highest were 0
  std::size_t state_bytes_per_row;
  /// False if a score did not fit the lane's type, or block_found stopped it: all results are void then.
  bool (*sweep)(const SectionBatch& batch);
  /// Moves H and E of all rows between a lane of a state and plain arrays. E below 0 is stored as 0: both have no
  /// effect.
  void (*load)(const SectionBatch& batch, int lane, const std::int32_t* h, const std::int32_t* e);
  void (*store)(const SectionBatch& batch, int lane, std::int32_t* h, std::int32_t* e);
};

/// Kernel 1, a tile by anti-diagonals in 32 bits. Rows and columns count from 0 in the tile.
struct TileBatch {
  const std::uint8_t* match;          // the tile's rows
  const std::uint8_t* main_reversed;  // the tile's columns, last first
  std::int32_t rows, columns;
  const std::int32_t* scores;  // scores[match symbol * symbols + main symbol]
  std::int32_t symbols, gap_open, gap_extend;
  std::int32_t *h_left, *e_left;  // of the column before; of the last column, on return
  std::int32_t *h_top, *f_top;    // of the row above; of the last row, on return
  std::int32_t corner;            // H of the row above in the column before
  std::int32_t* workspace;        // 7 * (rows + 1)
  std::int32_t threshold;
  /// Called for a diagonal with a score of at least the threshold: of rows first ... last, each in the column
  /// diagonal - row, h[row] and the H before it along the diagonal, h_before[row]. Returns the new threshold.
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
/// Throws std::invalid_argument if the processor does not have the instruction set.
const Kernels& kernels(core::Isa isa);

}  // namespace speedwell::alignment::ssca1

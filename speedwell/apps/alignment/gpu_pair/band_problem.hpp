// The input of the sweep of one huge pair (band.hpp): lengths, residues, scores, and the rows between bands.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment {

inline constexpr int chunk_steps = 64, chunk_columns = 2 * chunk_steps;
/// The last strip of a band is this many columns behind the first.
inline constexpr int band_lag = 126;
/// The number of chunks by which the band above must be ahead.
inline constexpr int chunks_ahead = (chunk_columns - 1 + band_lag) / chunk_columns + 1;
/// Entries of `columns` before column 0 and after the last chunk's.
inline constexpr int columns_before = 128, columns_after = 4;
inline constexpr int sampled_rows = 4;

/// Bounds of a half, and the moves of the base; see band_plan.hpp.
struct Window {
  // The next chunk stays within 16 bits if the largest sampled H of a chunk, minus the base, is from `low` to `high`;
  // `low` matters only if the base is not 0.
  std::int32_t low = 0, high = 0;
  std::int32_t target = 0;  // where a move of the base puts the largest sampled H
  std::int32_t slack = 0;   // maximum by which the largest H of a chunk exceeds the largest sampled one
};

/// A cell with the largest H: score, and query and subject position from 1.
struct BandBest {
  std::int32_t score = 0, row = 0, column = 0;
};

/// Marks a pruned chunk instead of a base; it has no border words.
inline constexpr std::int32_t pruned_base = INT32_MIN;

/// Rows between bands that are stored for the path (segments.hpp): the last row of every `every`-th band, as in
/// BandProblem.border and border_base, one row of the array each.
struct SpecialRows {
  std::int64_t every = 0;  // 0: none
  std::int64_t rows = 0;
  std::uint32_t* border = nullptr;
  std::int32_t* border_base = nullptr;
  std::int64_t chunks = 0;
  SPEEDWELL_HD
  std::uint32_t* row(std::int64_t k) const { return border + k * chunks * chunk_columns; }
  SPEEDWELL_HD
  std::int32_t* base(std::int64_t k) const { return border_base + k * (chunks + 2); }
};

/// Blocks of a band's columns for which checks are stored: this many with equal numbers of chunks, and one for the last
/// few chunks, which are pruned in many pairs, because no alignment that begins so late can be the best.
inline constexpr int equal_check_blocks = 32, check_blocks = equal_check_blocks + 1, chunks_of_last_block = 8;

/// Checks that a sweep stores for its verdict, per block of each band: [band * check_blocks + block].
struct BandChecks {
  std::uint32_t* sums = nullptr;         // of border_hash() of the band's last row; null: no checks
  std::int32_t* maximum = nullptr;       // the largest H of the sampled rows (sampled_rows)
  std::int64_t* first_pruned = nullptr;  // the first pruned chunk of each band
  std::int64_t chunks_of_block = 1;
  SPEEDWELL_HD
  static constexpr std::int64_t block_of(std::int64_t chunk, std::int64_t chunks, std::int64_t chunks_of_block) {
    const std::int64_t block = chunk / chunks_of_block;
    if (chunk >= chunks - chunks_of_last_block) return equal_check_blocks;
    return block < equal_check_blocks ? block : equal_check_blocks - 1;
  }
};
constexpr std::int64_t chunks_of_check_block(std::int64_t chunks) {
  const std::int64_t of_all = chunks - chunks_of_last_block;
  return of_all > equal_check_blocks ? (of_all + equal_check_blocks - 1) / equal_check_blocks : 1;
}

/// One column of a row between bands: H, and F as it enters the next row, at least 0. A change of one of the two always
/// changes the hash, and so the sum of a block, because all operations after the first sum are bijective.
SPEEDWELL_HD
inline std::uint32_t border_hash(std::int64_t column, std::int32_t h, std::int32_t f) {
  std::uint32_t x = static_cast<std::uint32_t>(column) * 0xc2b2ae3du + static_cast<std::uint32_t>(h) * 0x9e3779b1u +
                    static_cast<std::uint32_t>(f) * 0x85ebca77u;  // odd numbers
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  return x ^ (x >> 12);
}

/// The data that all bands of a pair share.
struct BandProblem {
  const std::uint8_t* query = nullptr;     // classes
  const std::uint16_t* columns = nullptr;  // the entry of column 0 (PairScores, ResidueScores)
  std::int64_t query_length = 0, subject_length = 0;
  std::int64_t chunks = 0;
  int classes = 0;
  CellConstants constants{};
  Window window{};
  bool prune = false;
  std::int32_t highest = 0;  // highest score of two residues, at least 0: for pruning
  SpecialRows special{};
  BandChecks checks{};
  std::int32_t gap_first = 0, gap_next = 0;  // open + extend, and extend: for checks
  /// The row between two bands: a word for each column (H in the low half, F in the high one), chunks * chunk_columns
  /// of them, and the base of those that a band wrote in its chunk, or pruned_base: chunks + 2. Read and replaced in
  /// place.
  std::uint32_t* border = nullptr;
  std::int32_t* border_base = nullptr;
  /// Where a band stores its last row: the same, or, if several GPUs sweep a pair, those in the memory of the GPU that
  /// has the next band.
  std::uint32_t* border_below = nullptr;
  std::int32_t* border_base_below = nullptr;
};

constexpr std::int64_t band_chunks(std::int64_t subject_length) {
  return (subject_length + band_lag + chunk_columns - 1) / chunk_columns;
}

}  // namespace speedwell::alignment

// The layout of a search on a GPU: subjects sorted and paired, pairs grouped into chunks, queries split into tiles.
// Pure arithmetic on lengths, without CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::alignment {

/// The database in the layout of the kernels. Pair p consists of the subjects order[2p] and order[2p + 1], longest
/// first, so that the two of a pair and the pairs of a warp have nearly equal lengths. Their residues are interleaved,
/// two bytes per column, from column first_column[p] to first_column[p + 1], padded to a multiple of 4 columns.
struct PairedSubjects {
  static constexpr std::uint32_t none = 0xffffffffu;  // the missing second subject of an odd database

  std::vector<std::uint32_t> order;            // 2 * pairs(): the index in the input by sorted position
  std::vector<std::uint32_t> sorted_position;  // the sorted position by index in the input
  std::vector<std::uint64_t> first_column;     // pairs() + 1

  std::size_t pairs() const { return first_column.size() - 1; }
  std::uint64_t columns(std::size_t pair) const { return first_column[pair + 1] - first_column[pair]; }
};

/// Throws std::invalid_argument for a sequence longer than `longest_sequence` or 2^32 - 2 subjects and more.
inline constexpr std::size_t longest_sequence = 0x7fffffffu - 1024;  // columns and steps are counted in 32 bits
PairedSubjects pair_subjects(const SequenceSet& subjects);

/// Consecutive pairs that a block processes with one query and one profile.
struct Chunk {
  std::uint32_t first_pair;
  std::uint32_t pairs;
  std::uint32_t lanes;  // lanes of a group: 8 or 32
};
inline constexpr int warps_per_block = 4;
inline constexpr int max_pairs_per_chunk = 128;

/// The chunks of a database for a search with `queries` queries on a device with `blocks` resident blocks. A pair is in
/// one chunk. Long pairs get 32 lanes each, and so do all pairs if there is little work: a narrow group wastes fewer
/// steps on filling and draining, a wide one finishes its pair sooner.
std::vector<Chunk> plan_chunks(const PairedSubjects& subjects, std::size_t queries, std::size_t blocks);

/// The query is split into full tiles of lanes * max_strip rows and a last one that is as thin as the remainder
/// allows.
inline constexpr int max_strip = 32;
/// Rows per lane in the tile that starts at `first_row`: a multiple of 4, 4 to max_strip.
SPEEDWELL_HD
constexpr int strip_rows(std::int64_t query_length, std::int64_t first_row, int lanes) {
  const std::int64_t rest = query_length - first_row;
  return rest >= std::int64_t{lanes} * max_strip ? max_strip
                                                 : static_cast<int>((rest + 4 * lanes - 1) / (4 * lanes)) * 4;
}

/// The highest possible score of a query and a subject of these lengths under `scoring`.
std::uint64_t score_bound(std::size_t query_length, std::size_t subject_length, const Scoring& scoring);
/// Throws std::invalid_argument unless `scoring` and the sets fit together and every score fits 32 bits.
void check_search(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring);

}  // namespace speedwell::alignment

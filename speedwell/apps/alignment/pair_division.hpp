// The division of the pairs of a database search among parts that compute at the same time: ranks or GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {

/// The pairs of all `queries` with all `subjects`, which are ascending indices in their sets.
struct PairBlock {
  std::vector<std::size_t> queries, subjects;
};

/// A block for each part; every pair is in one of them. The subjects are divided, longest first, each to the part with
/// the fewest residues so far. So parts have equal numbers of cells to within the shortest sequences, and sequences of
/// all lengths, which fill lanes and words equally well in each. Where the largest part would exceed an even division
/// by more than a twentieth, since subjects are few or one is huge, the parts are a grid over groups of queries and
/// groups of subjects: the grid whose largest part has the fewest cells. The division depends on the lengths alone.
/// Throws std::invalid_argument for less than one part.
std::vector<PairBlock> divide_pairs(const SequenceSet& queries, const SequenceSet& subjects, int parts);

/// The sequences of these indices.
SequenceSet subset(const SequenceSet& set, std::span<const std::size_t> indices);

/// Copies the scores of a block, block_scores[i * block.subjects.size() + k], to all[query * subjects + subject].
void put_block(const PairBlock& block, std::span<const std::int32_t> block_scores, std::span<std::int32_t> all,
               std::size_t subjects);

}  // namespace speedwell::alignment

// The division of the pairs of a database search among ranks that compute scores in the lanes of vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/alignment/pair_division.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {

/// Subjects of a batch of search_scores(): the largest number of lanes of any vector, and a multiple of all others.
inline constexpr std::size_t batch_subjects = 64;

/// The blocks of each part; every pair is in one block of one part. search_scores() computes the larger of the two sets
/// in lanes, in batches of almost equal length. Batches are not divided, so that all parts together compute those of
/// the whole search: sequences of one part alone would form batches of more unequal lengths, whose lanes would idle
/// longer. Batches are divided, longest first, each to the part with the least work so far, with all sequences of the
/// other set. Where the largest part would exceed an even division by more than a twentieth, since batches are few, the
/// tasks of one batch and one sequence of the other set are divided in the same way; then sequences are in several
/// parts. The division depends on the lengths alone. Throws std::invalid_argument for less than one part.
std::vector<std::vector<PairBlock>> divide_batches(const SequenceSet& queries, const SequenceSet& subjects, int parts);

}  // namespace speedwell::alignment

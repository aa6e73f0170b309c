// The division of the pairs of a database search among ranks that compute scores in the lanes of vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/pair_division.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {

/// Sequences of a batch of search_scores(): the largest number of lanes of any vector, and a multiple of all others.
inline constexpr std::size_t batch_size = 64;

/// A batch of the sequences in the lanes; the last one may be smaller.
inline std::span<const std::size_t> batch_of(std::span<const std::size_t> lanes, std::size_t index) {
  const std::size_t first = index * batch_size;
  return lanes.subspan(first, std::min(batch_size, lanes.size() - first));
}
/// Whether search_scores() puts the queries into the lanes, and not the subjects.
inline bool has_queries_in_lanes(std::size_t queries, std::size_t subjects) { return queries > subjects; }

/// The tasks of a search: search_scores() of one batch with a group of the other set's sequences. search_scores()
/// computes the larger of the two sets in lanes, in batches of almost equal length. Batches are not divided, so that
/// all tasks together compute those of the whole search: other sets of sequences would form batches of more unequal
/// lengths, whose lanes would idle longer.
struct SearchTasks {
  struct Task {
    std::size_t group, batch;
    double time;  // in no unit
  };
  std::vector<std::size_t> lanes;  // the indices of the sequences in the lanes, longest first; a batch after another
  std::vector<std::vector<std::size_t>> groups;  // the indices of the others
  std::vector<Task> tasks;                       // longest first
};
/// At least `min_tasks` where the pairs allow it: groups have as many sequences as that leaves, from 1 to what a batch
/// has, since search_scores() would otherwise put the group into the lanes.
SearchTasks search_tasks(const SequenceSet& queries, const SequenceSet& subjects, std::size_t min_tasks);

/// The blocks of each part; every pair is in one block of one part. The tasks of whole batches go, longest first, each
/// to the part with the least work so far. Where the largest part would exceed an even division by more than a
/// twentieth, since batches are few, tasks of single sequences of the other set are divided in the same way; then
/// sequences are in several parts. The division depends on the lengths alone. Throws std::invalid_argument for less
/// than one part.
std::vector<std::vector<PairBlock>> divide_batches(const SequenceSet& queries, const SequenceSet& subjects, int parts);

}  // namespace speedwell::alignment

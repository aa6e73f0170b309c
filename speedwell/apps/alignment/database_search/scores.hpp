// The computations of a search: the scores of all pairs and the alignment of one, on this machine's cores or on
// GPUs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::database_search {

/// Scores of every query with every database sequence, row-major: [query * database.size() + subject]. May count cells
/// and throw alignment::Stopped.
using ScoreProvider = std::function<std::vector<std::int32_t>(
    const alignment::SequenceSet& queries, const alignment::SequenceSet& database, const alignment::Scoring& scoring,
    const alignment::Control& control)>;
/// On `threads` cores; 0: all that OpenMP has.
ScoreProvider cpu_scores(int threads);
/// On these GPUs (CUDA's indices): each has a part of the database and of the pairs (alignment::divide_pairs()), or one
/// piece of its part after another where that does not fit. The database stays on the devices as long as the same
/// object is searched. Empty in a build without CUDA, and for no devices; where the machine has no such GPU, the first
/// search throws core::Unavailable.
ScoreProvider gpu_scores(const std::vector<int>& devices);

/// The alignment of a pair, as alignment::align() says.
using PairAligner =
    std::function<alignment::Alignment(alignment::Codes query, alignment::Codes subject,
                                       const alignment::Scoring& scoring, const alignment::AlignOptions& options)>;
/// Pairs of long sequences on this GPU, others on the cores. In a build without CUDA all on the cores.
PairAligner gpu_aligner(const std::vector<int>& devices);

struct CodePair {
  alignment::Codes query, subject;
};
/// The alignments of many pairs, in their order.
using PairsAligner = std::function<std::vector<alignment::Alignment>(std::span<const CodePair> pairs,
                                                                     const alignment::Scoring& scoring)>;
/// Each by `aligner`: large pairs one after another on all `threads`, others one on each thread. Throws
/// alignment::Stopped where `stop` becomes true.
PairsAligner align_each(PairAligner aligner, int threads, const std::atomic<bool>* stop);

}  // namespace speedwell::database_search

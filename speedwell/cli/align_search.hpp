// From two sets of sequences to the hits of a batch of queries: scores, selection, alignments.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/align_formats.hpp"
#include "speedwell/cli/align_masking.hpp"
#include "speedwell/cli/align_scoring.hpp"

namespace speedwell::cli {

struct Search {
  const AlignOptions& options;
  const ResolvedScoring& resolved;
  const AlignmentReport& report;
  const ScoreProvider& scores;
  const PairAligner& aligner;
  const MaskedQueries* masked;  // nothing without --mask
  bool plus, minus;             // strands of the query that are aligned
  bool alignments;              // whether they are asked for, or the coverage is, which follows from them
};

/// The query after the last one of the batch that starts with `begin`.
std::size_t batch_end(const Search& search, std::size_t begin);

/// The hits of queries begin … end - 1, best first. `cells` grows by what was searched, alignments not counted. Throws
/// alignment::Stopped.
std::vector<std::vector<Hit>> hits_of_batch(const Search& search, std::size_t begin, std::size_t end,
                                            std::atomic<std::int64_t>& cells);

/// Cells of the whole search, as hits_of_batch() counts them.
double cells_of(const Search& search);

}  // namespace speedwell::cli

// The steps of a search of queries in a database, or in one block of a larger one after another: scores of a batch of
// queries with all sequences, the best hits of each query, and their alignments.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/database_search/database_search.hpp"

namespace speedwell::database_search {

/// The size of a whole database, on which E-values depend.
struct DatabaseSize {
  std::size_t sequences = 0, residues = 0;
};

/// Maximum number of queries whose scores are computed together.
inline constexpr std::size_t max_batch_queries = 512;

class BatchSearch {
 public:
  /// Refers to `queries`, which must not change or go away. Throws as DatabaseSearch does.
  BatchSearch(const alignment::SequenceSet& queries, SearchOptions options);

  const SearchOptions& options() const { return options_; }
  const MaskedQueries* masked() const { return masked_ ? &*masked_ : nullptr; }
  bool is_stopped() const { return options_.stop && *options_.stop; }
  /// Cells of a search in so many residues.
  double cells(std::size_t residues) const;

  /// Calls `on_hits` for every query with its hits in the whole of `database`, as DatabaseSearch::run() does.
  bool run(const alignment::SequenceSet& database, const OnHits& on_hits) const;

  /// The query after the last one of the batch that starts with `begin`. Its size bounds the memory for scores and the
  /// time after which `stop` is seen.
  std::size_t batch_end(std::size_t begin, const alignment::SequenceSet& block) const;
  /// The hits of the queries begin … end - 1 in a block of a database of size `whole`, best first, without alignments:
  /// at most max_hits of each query, or all where the coverage of the query decides later. Throws alignment::Stopped.
  std::vector<std::vector<Hit>> search(const alignment::SequenceSet& block, const DatabaseSize& whole,
                                       std::size_t begin, std::size_t end) const;
  /// Aligns the best hits of every query from `begin` on until max_hits of them cover enough of it, and drops all
  /// others. Throws alignment::Stopped.
  void align(const alignment::SequenceSet& block, std::size_t begin, std::vector<std::vector<Hit>>& hits) const;

 private:
  // Scores of the queries of a batch, and what they are with masked residues: the same but for queries that have some.
  // Empty for a strand that is not searched.
  struct StrandScores {
    std::vector<std::int32_t> scores, masked;
  };
  // Scores of one query with every subject, of either strand; empty for a strand that is not searched.
  struct QueryScores {
    std::span<const std::int32_t> plus, minus;
    std::int64_t score(std::size_t subject, bool on_minus) const {
      const auto& scores = on_minus ? minus : plus;
      return scores.empty() ? 0 : scores[subject];
    }
  };
  struct QueryHit {
    std::size_t query;
    Hit* hit;
  };

  std::vector<std::int32_t> scores_of(const alignment::SequenceSet& batch, const alignment::SequenceSet& block) const;
  StrandScores search_strand(bool minus, const alignment::SequenceSet& block, std::size_t begin, std::size_t end) const;
  std::optional<double> evalue_of(std::size_t query, std::size_t subject_length, const DatabaseSize& whole,
                                  std::int64_t score) const;
  std::vector<Hit> select(std::size_t query, const alignment::SequenceSet& block, const DatabaseSize& whole,
                          const QueryScores& scores, const QueryScores& masked) const;
  void align_all(const alignment::SequenceSet& block, const std::vector<QueryHit>& pairs) const;

  const alignment::SequenceSet& queries_;
  SearchOptions options_;
  int threads_;
  bool plus_, minus_;  // strands of the query that are aligned
  alignment::SequenceSet minus_queries_;
  std::optional<MaskedQueries> masked_;
  mutable std::atomic<std::int64_t> uncounted_{0};  // where the options have no counter of cells
};

}  // namespace speedwell::database_search

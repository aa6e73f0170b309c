// Search of a database: the best exact local alignments of every query to the sequences of a set, with bit scores and
// E-values, on either strand of DNA, on this machine's cores or on GPUs.
//
// Every pair is computed in full: there are no seeds and no heuristics. Queries are searched in batches, whose size
// bounds the memory for scores and the time after which `stop` is seen; a database that does not fit a GPU is
// searched in pieces. One alignment is reported for each pair. Results do not depend on threads, devices and batches.
//
//   using namespace speedwell;
//   database_search::search(queries, database, {.max_hits = 10}, [&](std::size_t query, auto hits) { … });
//
// records.hpp converts hits to records of SAM and of BLAST's tabular format, pairwise.hpp to text with aligned rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/database_search/masking.hpp"
#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/scoring/statistics.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::database_search {

enum class Strands { both, plus, minus };

struct SearchOptions {
  alignment::Scoring scoring{.matrix = alignment::named_matrix("BLOSUM62")};
  /// The statistics of this scoring: alignment::published_statistics(). Without them hits have neither bit scores nor
  /// E-values, and `max_evalue` has no effect.
  std::optional<alignment::ScoreStatistics> statistics{};
  /// E-values with the finite-size correction where it is published (protein matrices), otherwise Karlin and
  /// Altschul's.
  bool finite_size_correction = true;

  Strands strands = Strands::both;  // the strands of DNA queries
  Masking masking = Masking::none;  // a hit must pass min_score and max_evalue without masked residues, and is then
                                    // scored and aligned with them
  std::size_t max_hits = 500;       // maximum number of hits of a query, at least 1
  std::int64_t min_score = 1;       // 0 counts as 1: no alignment is no hit
  std::optional<double> max_evalue{};
  double min_query_coverage = 0;  // percent of the query within the alignment
  bool alignments = true;         // false: hits have scores alone, which is faster, unless a coverage is asked for

  int threads = 0;             // 0: all that OpenMP has
  std::vector<int> devices{};  // CUDA's indices of the GPUs that compute scores; none: the cores do
  ScoreProvider scores{};      // in place of what `devices` says
  PairAligner aligner{};
  PairsAligner pairs_aligner{};  // in place of `aligner`: all pairs of a step at once

  const std::atomic<bool>* stop = nullptr;     // when true, the rest of the search is skipped
  std::atomic<std::int64_t>* cells = nullptr;  // increased by the cells searched, without those of alignments
};

struct Hit {
  std::size_t subject = 0;  // index in the database
  std::int64_t score = 0;
  bool minus = false;                      // the reverse complement of the query was aligned
  alignment::Alignment alignment{};        // its query positions are those of the strand that was aligned
  std::optional<double> evalue{}, bits{};  // nothing without statistics
};

/// The hits of one query: by score, equal ones in the order of the database, which also decides the last one. A subject
/// is hit once: on the plus strand unless the minus strand scores higher.
using OnHits = std::function<void(std::size_t query, std::span<const Hit> hits)>;

/// A search that is set up and not yet run: what it will take can be asked before.
class DatabaseSearch {
 public:
  /// Refers to `queries` and `database`, which must not change or go away. Throws std::invalid_argument for sets and a
  /// matrix of different alphabets, options out of range, a masking or a strand that does not suit the alphabet, a
  /// matrix that does not score masked residues, and gap costs that alignment.hpp refuses; core::Unavailable where
  /// devices are asked for in a build without CUDA.
  DatabaseSearch(const alignment::SequenceSet& queries, const alignment::SequenceSet& database, SearchOptions options);
  ~DatabaseSearch();

  /// Cells of the whole search, as options.cells counts them.
  double cells() const;
  /// How much is masked; nothing where no masking is asked for.
  const MaskedQueries* masked() const;

  /// Calls `on_hits` for every query, in order, also for those without hits. False if it was stopped. Throws as
  /// alignment::search_scores() and DeviceSearch do, and what `on_hits` throws.
  bool run(const OnHits& on_hits) const;

 private:
  class Engine;
  std::unique_ptr<const Engine> engine_;
};

/// All at once: DatabaseSearch(queries, database, options).run(on_hits).
bool search(const alignment::SequenceSet& queries, const alignment::SequenceSet& database, SearchOptions options,
            const OnHits& on_hits);

/// Counted from 1, both ends included, on the strand that is in the file.
struct Range {
  std::int64_t first, last;
};
Range query_range(const Hit& hit, std::size_t query_length);
/// Part of the query within the alignment in percent, gaps not counted: 100 (qend - qstart + 1) / qlen; 0 of an empty
/// query or alignment.
double query_coverage(const Hit& hit, std::size_t query_length);

}  // namespace speedwell::database_search

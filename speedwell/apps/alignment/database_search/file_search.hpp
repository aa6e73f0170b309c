// Search of one file of sequences in another, from a request that may leave the alphabet, the scoring and the
// statistics open, to the hits of every query in the hands of a writer.
//
//   using namespace speedwell::database_search;
//   search_files({.queries = "q.fa", .database = "db.fa.gz", .max_hits = 10}, writer);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/database_search.hpp"
#include "speedwell/apps/alignment/database_search/hit_writer.hpp"
#include "speedwell/apps/alignment/database_search/scoring_request.hpp"

namespace speedwell::database_search {

/// A message for the user: one line without a line break.
struct SearchMessage {
  enum class Kind { status, warning } kind = Kind::status;
  std::string text;
};

struct SearchRequest {
  std::string queries{}, database{};  // paths of FASTA or FASTQ, plain or gzip; "-" is standard input, for one of them
  bool strict = false;                // warnings about sequences are errors

  /// A database of more residues is not kept in memory: it is read and checked once, and then read again in blocks of
  /// at most so many residues (of one sequence, if that alone has more) for each group of up to 512 queries. A sequence
  /// counts 128 residues more. Hits and their order, E-values and references do not depend on it. Compressed files are
  /// decompressed each time. What cannot be read again, such as a pipe or standard input, is kept in memory. A writer
  /// that needs SAM's names needs those of all sequences in memory, too.
  std::size_t block_residues = std::numeric_limits<std::size_t>::max();

  ScoringRequest scoring{};          // without an alphabet: that which the beginning of the queries seems to have
  std::optional<Strands> strands{};  // of DNA queries; without it both
  Masking masking = Masking::none;   // see SearchOptions::masking
  std::size_t max_hits = 500;        // of a query; 0: the files are read and checked, and nothing is searched
  bool require_max_hits = false;     // a database of fewer sequences than max_hits is an error
  std::int64_t min_score = 1;
  double min_query_coverage = 0;  // percent of the query within the alignment

  int threads = 0;             // 0: all that OpenMP has
  std::vector<int> devices{};  // CUDA's indices of the GPUs that compute scores; none: the cores do
  ScoreProvider scores{};      // in place of what `devices` says
  PairAligner aligner{};
  PairsAligner pairs_aligner{};  // in place of `aligner`: all pairs of a step at once

  const std::atomic<bool>* stop = nullptr;     // when true, the rest of the search is skipped
  std::atomic<std::int64_t>* cells = nullptr;  // increased by the cells searched, without those of alignments
  std::function<void(const SearchMessage&)> on_message{};
  RequestNames names{};  // how messages call the members
};

/// The totals of a search. `cells` are those of the search for scores; `seconds` contain alignments.
struct SearchTotals {
  std::size_t queries = 0, subjects = 0, hits = 0, queries_without_hits = 0;
  double cells = 0, seconds = 0;
};

/// A search of files that is set up and not yet run.
class FileSearch {
 public:
  /// Reads and checks both files. Reports the scoring, what is masked, and warnings. Refers to `writer`. Throws
  /// RequestError for a request that does not fit itself or the files; std::invalid_argument and core::Unavailable as
  /// DatabaseSearch does; io::InputError for what is wrong in a file, and for a file that looks like another alphabet.
  FileSearch(SearchRequest request, HitWriter& writer);
  ~FileSearch();

  /// Cells of the whole search, as request.cells counts them.
  double cells() const;

  /// Searches and hands the hits to the writer: by score, equal ones in the order of the database, which also decides
  /// the last one. Nothing if it was stopped. Throws as DatabaseSearch::run() does, and what the writer throws.
  std::optional<SearchTotals> run();

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

/// All at once: FileSearch(request, writer).run().
std::optional<SearchTotals> search_files(SearchRequest request, HitWriter& writer);

}  // namespace speedwell::database_search

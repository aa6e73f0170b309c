// Search of one file of sequences in another: from a request, which may leave the alphabet, the scoring and the
// statistics open, to the hits of every query, which a writer receives.
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
  bool strict = false;                // what is otherwise a warning about a sequence is an error

  /// A database of more residues is not kept in memory: it is read and checked once, and then read again, for each
  /// group of up to 512 queries, in blocks of at most this many residues or of one sequence. Each sequence counts as
  /// 128 residues more than it has, for its header line. Hits and their order, E-values and references do not depend on
  /// this limit. Compressed files are decompressed each time. A database that cannot be read again, such as a pipe or
  /// standard input, is kept in memory. For a writer that needs SAM's names, the names of all sequences are in memory.
  std::size_t block_residues = std::numeric_limits<std::size_t>::max();

  ScoringRequest scoring{};          // without an alphabet: the one that the first queries appear to have
  std::optional<Strands> strands{};  // of DNA queries; default: both
  Masking masking = Masking::none;   // see SearchOptions::masking
  std::size_t max_hits = 500;        // per query; 0: the files are read and checked, and nothing is searched
  bool require_max_hits = false;     // a database of fewer sequences than max_hits is an error
  std::int64_t min_score = 1;
  double min_query_coverage = 0;  // percent of the query within the alignment

  int threads = 0;             // 0: OpenMP's default
  std::vector<int> devices{};  // CUDA's indices of the GPUs that compute scores; empty: the CPU computes them
  ScoreProvider scores{};      // computes scores in place of `devices`
  PairAligner aligner{};
  PairsAligner pairs_aligner{};  // in place of `aligner`: aligns many pairs in one call

  const std::atomic<bool>* stop = nullptr;  // when true, the rest of the search is skipped
  std::atomic<std::int64_t>* cells =
      nullptr;  // increased by the cells of score computations, without those of alignments
  std::function<void(const SearchMessage&)> on_message{};
  RequestNames names{};  // the names of the members in messages
};

/// The totals of a search. `cells`: of score computations; `seconds`: wall time, alignments included.
struct SearchTotals {
  std::size_t queries = 0, subjects = 0, hits = 0, queries_without_hits = 0;
  double cells = 0, seconds = 0;
};

/// A search of files that is set up and not yet run.
class FileSearch {
 public:
  /// Reads and checks both files. Reports the scoring, what is masked, and warnings. `writer` must outlive this object.
  /// Throws RequestError for a request that contradicts itself or the files; std::invalid_argument and
  /// core::Unavailable as DatabaseSearch does; io::InputError for a malformed file, and for one that seems to have
  /// another alphabet.
  FileSearch(SearchRequest request, HitWriter& writer);
  ~FileSearch();

  /// Cells of the whole search, as request.cells counts them.
  double cells() const;

  /// Searches and passes the hits of every query to the writer, in descending order of score; hits with equal scores,
  /// also where max_hits cuts them off, are in the order of the database. Returns nothing if it was stopped. Throws as
  /// DatabaseSearch::run() does, and what the writer throws.
  std::optional<SearchTotals> run();

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

/// The same in one call: FileSearch(request, writer).run().
std::optional<SearchTotals> search_files(SearchRequest request, HitWriter& writer);

}  // namespace speedwell::database_search

// speedwell align: exact local alignments of the sequences of one file to those of another.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/database_search/database_search.hpp"
#include "speedwell/apps/alignment/database_search/scores.hpp"
#include "speedwell/cli/align_progress.hpp"

namespace CLI {
class App;
}

namespace speedwell::cli {

struct AlignOptions {
  enum class Alphabet { automatic, protein, dna };
  enum class EvalueMethod { fsc, ka, none };
  enum class Format { tab, comments, sam, pairwise };  // comments: tabular with lines of comment

  std::string query, database;              // paths; "-" is standard input
  std::vector<std::string> operands;        // as typed without an option's name: what --query and --db leave open
  std::string matrix;                       // a published name, or a file
  std::optional<int> gap_open, gap_extend;  // as typed: see gap_first
  bool gap_first = false;                   // gap_open is what the first residue of a gap costs
  std::optional<int> match, mismatch;       // DNA in place of a matrix
  Alphabet alphabet = Alphabet::automatic;
  std::size_t top = 500;         // hits of a query; of a smaller database all
  bool top_named = false;        // then a smaller database is an error
  std::optional<double> evalue;  // the largest to report; without it 10, where statistics are published
  std::int64_t min_score = 1;
  double query_cover = 0;  // the least part of the query in an alignment, in percent
  database_search::Masking mask = database_search::Masking::none;
  std::optional<EvalueMethod> evalue_method;       // without it fsc for protein, ka for DNA
  std::optional<database_search::Strands> strand;  // of DNA queries; without it both
  Format format = Format::tab;
  std::string outfmt;   // BLAST's word for format and columns, as typed
  std::string columns;  // of the tabular format: see io::blast_columns(); without it the usual ones
  bool sam_md = false;  // with the MD tag
  std::string out;      // a file in place of the stream
  bool strict = false;  // warnings about sequences are errors
  int threads = 1;

  bool quiet = false;    // no warnings, no log line
  bool summary = false;  // a closing line
  std::string device;    // for that: where scores are computed
  ProgressStyle progress = ProgressStyle::none;
  std::chrono::milliseconds progress_every{100};
  std::string version, command_line;        // for the header of SAM
  const std::atomic<bool>* stop = nullptr;  // when true the rest is left out
  std::atomic<bool>* reading = nullptr;     // true as long as there is nothing to clean up
};

/// Adds the options of the command itself (not --threads, --devices, -q, --progress). Values are checked as they are
/// parsed: std::invalid_argument.
void add_align_options(CLI::App& app, AlignOptions& options);

// The devices on which scores and alignments are computed.
using database_search::cpu_scores;
using database_search::gpu_aligner;
using database_search::gpu_scores;
using database_search::PairAligner;
using database_search::ScoreProvider;

/// Reads, searches, aligns and writes: the result to `out` or options.out, messages to `err`. Hits of a query come by
/// score, equal ones in the order of the database, which also decides which is the last. Returns false if it was
/// stopped; then options.out is not written. Throws std::invalid_argument for options that do not fit together,
/// io::InputError, io::OutputError.
bool run_align(const AlignOptions& options, const ScoreProvider& scores, std::ostream& out, std::ostream& err,
               const PairAligner& aligner = alignment::align);

}  // namespace speedwell::cli

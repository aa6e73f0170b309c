#include "speedwell/cli/align.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "speedwell/apps/alignment/database_search/database_search.hpp"
#include "speedwell/apps/alignment/database_search/records.hpp"
#include "speedwell/cli/align_formats.hpp"
#include "speedwell/cli/align_masking.hpp"
#include "speedwell/cli/align_scoring.hpp"
#include "speedwell/cli/align_sequences.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;
using database_search::Hit;
using database_search::SearchedFiles;
using database_search::SequenceFile;

// The destination of the result: a file that appears when it is complete, or a stream.
class Output {
 public:
  Output(const std::string& path, std::ostream& stream) : stream_(stream) {
    if (!path.empty()) file_ = std::make_unique<io::AtomicFile>(path);
  }
  void write(const std::string& text) {
    if (file_)
      file_->write(text);
    else if (!stream_.write(text.data(), static_cast<std::streamsize>(text.size())))
      throw io::OutputError("output.write", "<stdout>", "cannot be written");
  }
  void finish() {
    if (file_)
      file_->commit();
    else if (!stream_.flush())
      throw io::OutputError("output.write", "<stdout>", "cannot be written");
  }

 private:
  std::ostream& stream_;
  std::unique_ptr<io::AtomicFile> file_;
};

// Throws UsageError if the output would overwrite an input, which is certainly a mistake.
void refuse_input_as_output(const AlignOptions& options) {
  for (const std::string& input : {options.query, options.database, options.matrix}) {
    std::error_code not_there;
    if (std::filesystem::is_regular_file(options.out, not_there) &&
        std::filesystem::equivalent(options.out, input, not_there))
      throw UsageError(fmt::format("--out {}: this file is read", options.out), "");
  }
}

// The symbols of a matrix file are all that can be scored.
void check_symbols(const SequenceFile& file, const alignment::SubstitutionMatrix& matrix) {
  for (std::size_t i = 0; i < file.set.size(); ++i)
    for (const std::uint8_t code : file.set.codes(i))
      if (!matrix.has(code))
        throw io::InputError("input.matrix.unknown_letter", file.file, file.lines[i], 0,
                             fmt::format("'{}' has the residue {}, and the matrix {} scores neither that nor {}",
                                         io::escape(file.set.name(i)), alignment::decode(file.set.alphabet(), code),
                                         matrix.name(), file.set.alphabet() == Alphabet::protein ? 'X' : 'N'),
                             "a row X (N for DNA) in the matrix stands for all symbols that have none");
}

// A source of `options.query` or `options.database`, and what it seems to hold.
Sniffed opened(const std::string& path) { return sniff(io::open_source(path)); }

// The input that is read before the search.
struct Inputs {
  Alphabet alphabet;
  ResolvedScoring resolved;
  SequenceFile queries, database;
};

Inputs read_inputs(const AlignOptions& options, std::ostream& err) {
  Sniffed query = opened(options.query);
  const std::optional<Alphabet> given = alphabet_of(options);
  const Alphabet alphabet = given.value_or(query.composition.resembles_dna() ? Alphabet::dna : Alphabet::protein);
  const ResolvedScoring resolved = resolve_scoring(options, alphabet);  // before the long read: it may be refused
  check_mask(options.mask, resolved.scoring.matrix);
  if (!options.quiet) {
    err << "speedwell: " << describe(resolved) << "\n";
    if (!resolved.note.empty()) err << "speedwell: " << resolved.note << "\n";
  }
  const auto read = [&](Sniffed sniffed, const std::string& path) {
    const std::string name = io::display_name(path);
    if (options.alphabet == AlignOptions::Alphabet::automatic) check_alphabet(sniffed.composition, alphabet, name);
    SequenceFile file = read_sequence_file(std::move(sniffed.source), name, alphabet, options.strict, !given);
    if (!options.quiet)
      for (const io::Warning& warning : file.warnings) err << "speedwell: warning: " << io::to_string(warning) << "\n";
    return file;
  };
  SequenceFile queries = read(std::move(query), options.query);
  SequenceFile database = read(opened(options.database), options.database);
  return {alphabet, resolved, std::move(queries), std::move(database)};
}

void check_inputs(const AlignOptions& options, const Inputs& inputs) {
  check_symbols(inputs.queries, inputs.resolved.scoring.matrix);
  check_symbols(inputs.database, inputs.resolved.scoring.matrix);
  const std::size_t sequences = inputs.database.set.size();
  if (options.top_named && options.top > sequences)
    throw UsageError(fmt::format("--top {}: {} has {} sequence{}", options.top, inputs.database.file, sequences,
                                 sequences == 1 ? "" : "s"),
                     "--top all reports every hit");
  if (options.format == AlignOptions::Format::sam) check_sam_names(inputs.queries, inputs.database);
}

// True as long as there is nothing to clean up: then a signal ends the program at once.
struct Reading {
  std::atomic<bool>* flag;
  explicit Reading(std::atomic<bool>* f) : flag(f) { set(true); }
  ~Reading() { set(false); }
  void set(bool value) const {
    if (flag) *flag = value;
  }
};

database_search::SearchOptions search_options(const AlignOptions& options, const ResolvedScoring& resolved,
                                              const ScoreProvider& scores, const PairAligner& aligner) {
  database_search::SearchOptions search{.scoring = resolved.scoring,
                                        .statistics = resolved.statistics,
                                        .finite_size_correction = resolved.finite_size,
                                        .max_evalue = resolved.evalue};
  search.strands = options.strand.value_or(database_search::Strands::both);
  search.masking = options.mask;
  search.max_hits = std::max<std::size_t>(1, options.top);  // for 0 nothing is searched
  search.min_score = options.min_score;
  search.min_query_coverage = options.query_cover;
  search.threads = options.threads;
  search.scores = scores;
  search.aligner = aligner;
  search.stop = options.stop;
  return search;
}

// Searches and writes the hits. False if it was stopped.
bool search_all(const AlignOptions& options, const database_search::DatabaseSearch& search, const OutputFormat& format,
                const SearchedFiles& files, Output& output, SearchTotals& totals) {
  const auto begin_time = std::chrono::steady_clock::now();
  const bool finished = totals.queries == 0 || search.run([&](std::size_t query, std::span<const Hit> hits) {
    output.write(query_text(format, files, query, hits));
    totals.hits += hits.size();
    totals.queries_without_hits += hits.empty();
  });
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
  return finished && !(options.stop && *options.stop);
}

}  // namespace

bool run_align(const AlignOptions& options, const ScoreProvider& scores, std::ostream& out, std::ostream& err,
               const PairAligner& aligner) {
  if (options.query == "-" && options.database == "-")
    throw UsageError("only one of QUERY and DATABASE can be standard input", "");
  refuse_input_as_output(options);
  const OutputFormat format{.format = options.format,
                            .columns = io::blast_columns(options.columns.empty() ? "std" : options.columns),
                            .sam_md = options.sam_md,
                            .version = options.version,
                            .command_line = options.command_line};
  if (!options.columns.empty() && !format.is_tabular()) throw UsageError("--columns is for --out-format tab", "");
  if (options.sam_md && options.format != AlignOptions::Format::sam)
    throw UsageError("--sam-md is for --out-format sam", "");

  const Reading reading(options.reading);
  const Inputs inputs = read_inputs(options, err);
  check_inputs(options, inputs);
  const SearchedFiles files{inputs.queries, inputs.database, inputs.resolved.scoring.matrix};
  std::atomic<std::int64_t> cells{0};
  database_search::SearchOptions wanted = search_options(options, inputs.resolved, scores, aligner);
  wanted.alignments = format.needs_alignments();
  wanted.cells = &cells;
  const database_search::DatabaseSearch search(inputs.queries.set, inputs.database.set, std::move(wanted));
  if (search.masked() && !options.quiet) err << "speedwell: " << describe(*search.masked(), options.mask) << "\n";

  reading.set(false);
  Output output(options.out, out);
  output.write(head_text(format, inputs.database));
  SearchTotals totals{.queries = options.top == 0 ? 0 : inputs.queries.set.size(),
                      .subjects = inputs.database.set.size()};
  {
    const Progress progress(options.progress, err, totals.queries == 0 ? 0 : search.cells(), cells,
                            options.progress_every);
    if (!search_all(options, search, format, files, output, totals)) return false;
  }
  totals.cells = static_cast<double>(cells.load());
  output.write(tail_text(format, totals.queries));
  output.finish();
  if (options.summary && !options.quiet) err << "speedwell: " << summary_text(totals, options.device) << "\n";
  return true;
}

}  // namespace speedwell::cli

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

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/cli/align_columns.hpp"
#include "speedwell/cli/align_formats.hpp"
#include "speedwell/cli/align_masking.hpp"
#include "speedwell/cli/align_scoring.hpp"
#include "speedwell/cli/align_search.hpp"
#include "speedwell/cli/align_sequences.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

// The result's way out: a file that appears when it is complete, or a stream.
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

// Nobody means to replace what is read.
void refuse_input_as_output(const AlignOptions& options) {
  for (const std::string& input : {options.query, options.database, options.matrix}) {
    std::error_code not_there;
    if (std::filesystem::is_regular_file(options.out, not_there) &&
        std::filesystem::equivalent(options.out, input, not_there))
      throw UsageError(fmt::format("--out {}: this file is read", options.out), "");
  }
}

// The lines of one query.
std::string formatted(const Search& search, std::span<const std::size_t> columns, std::size_t query,
                      std::span<const Hit> hits) {
  switch (search.options.format) {
    case AlignOptions::Format::sam:
      return sam_lines(search.report, query, hits, search.options.sam_md);
    case AlignOptions::Format::pairwise:
      return pairwise_text(search.report, query, hits);
    case AlignOptions::Format::comments:
      return comment_lines(search.report, query, hits.size(), columns, search.options.version) +
             tab_lines(search.report, query, hits, columns);
    case AlignOptions::Format::tab:
      break;
  }
  return tab_lines(search.report, query, hits, columns);
}

bool is_tabular(const AlignOptions& o) {
  return o.format == AlignOptions::Format::tab || o.format == AlignOptions::Format::comments;
}

// The letters of a matrix file are all that can be scored.
void check_letters(const SequenceFile& file, const alignment::SubstitutionMatrix& matrix) {
  for (std::size_t i = 0; i < file.set.size(); ++i)
    for (const std::uint8_t code : file.set.codes(i))
      if (!matrix.knows(code))
        throw io::InputError("input.matrix.unknown_letter", file.file, file.lines[i], 0,
                             fmt::format("'{}' has the letter {}, and the matrix {} scores neither that nor {}",
                                         io::escape(file.set.name(i)), alignment::decode(file.set.alphabet(), code),
                                         matrix.name(), file.set.alphabet() == Alphabet::protein ? 'X' : 'N'),
                             "a row X (N for DNA) in the matrix stands for all letters that have none");
}

// A source of `options.query` or `options.database`, and what it seems to hold.
Sniffed opened(const std::string& path) { return sniff(io::open_source(path)); }

// What is read before anything is searched.
struct Inputs {
  Alphabet alphabet;
  ResolvedScoring resolved;
  SequenceFile queries, database;
};

Inputs read_inputs(const AlignOptions& options, std::ostream& err) {
  Sniffed query = opened(options.query);
  const std::optional<Alphabet> given = alphabet_of(options);
  const Alphabet alphabet = given.value_or(query.look.like_dna() ? Alphabet::dna : Alphabet::protein);
  const ResolvedScoring resolved = resolve_scoring(options, alphabet);  // before the long read: it may be refused
  check_mask(options.mask, resolved.scoring.matrix);
  if (!options.quiet) {
    err << "speedwell: " << describe(resolved) << "\n";
    if (!resolved.note.empty()) err << "speedwell: " << resolved.note << "\n";
  }
  const auto read = [&](Sniffed sniffed, const std::string& path) {
    const std::string name = io::display_name(path);
    if (options.alphabet == AlignOptions::Alphabet::automatic) check_alphabet(sniffed.look, alphabet, name);
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
  check_letters(inputs.queries, inputs.resolved.scoring.matrix);
  check_letters(inputs.database, inputs.resolved.scoring.matrix);
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

// Searches batch after batch and writes its hits. False if it was stopped.
bool search_all(const Search& search, std::span<const std::size_t> columns, Output& output, std::ostream& err,
                SearchTotals& totals) {
  const AlignOptions& options = search.options;
  const auto begin_time = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> cells{0};
  try {
    const Progress progress(options.progress, err, options.top == 0 ? 0 : cells_of(search), cells,
                            options.progress_every);
    for (std::size_t begin = 0; begin < totals.queries;) {
      if (options.stop && *options.stop) return false;
      const std::size_t end = batch_end(search, begin);
      const auto hits = hits_of_batch(search, begin, end, cells);
      for (std::size_t query = begin; query < end; ++query) {
        output.write(formatted(search, columns, query, hits[query - begin]));
        totals.hits += hits[query - begin].size();
        totals.queries_without_hits += hits[query - begin].empty();
      }
      begin = end;
    }
  } catch (const alignment::Stopped&) {
    return false;
  }
  totals.cells = static_cast<double>(cells.load());
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
  return !(options.stop && *options.stop);
}

}  // namespace

ScoreProvider cpu_scores(int threads) {
  return [threads](const SequenceSet& queries, const SequenceSet& database, const alignment::Scoring& scoring,
                   const alignment::Control& control) {
    std::vector<std::int32_t> scores(queries.size() * database.size());
    alignment::search_scores(queries, database, scoring, scores, {.threads = threads, .control = control});
    return scores;
  };
}

bool run_align(const AlignOptions& options, const ScoreProvider& scores, std::ostream& out, std::ostream& err,
               const PairAligner& aligner) {
  if (options.query == "-" && options.database == "-")
    throw UsageError("only one of QUERY and DATABASE can be standard input", "");
  refuse_input_as_output(options);
  using Format = AlignOptions::Format;
  if (!options.columns.empty() && !is_tabular(options)) throw UsageError("--columns is for --out-format tab", "");
  if (options.sam_md && options.format != Format::sam) throw UsageError("--sam-md is for --out-format sam", "");
  const std::vector<std::size_t> columns = tab_columns(options.columns.empty() ? "std" : options.columns);

  const Reading reading(options.reading);
  const Inputs inputs = read_inputs(options, err);
  check_inputs(options, inputs);
  using Strand = AlignOptions::Strand;
  const bool minus = inputs.alphabet == Alphabet::dna && options.strand != Strand::plus;
  const SequenceSet minus_queries = minus ? reverse_complement(inputs.queries.set) : SequenceSet(inputs.alphabet);
  std::optional<MaskedQueries> masked;
  if (options.mask != AlignOptions::Mask::none) {
    masked = mask_queries(inputs.queries.set, options.mask, minus, options.threads);
    if (!options.quiet) err << "speedwell: " << describe(*masked, options.mask) << "\n";
  }
  const AlignmentReport report{inputs.queries, minus_queries, inputs.database, inputs.resolved.scoring.matrix};
  const Search search{options,
                      inputs.resolved,
                      report,
                      scores,
                      aligner,
                      masked ? &*masked : nullptr,
                      options.strand != Strand::minus,
                      minus,
                      !is_tabular(options) || need_alignments(columns) || options.query_cover > 0};

  reading.set(false);
  Output output(options.out, out);
  if (options.format == Format::sam) output.write(sam_header(inputs.database, options.version, options.command_line));
  SearchTotals totals{.queries = options.top == 0 ? 0 : inputs.queries.set.size(),
                      .subjects = inputs.database.set.size()};
  if (!search_all(search, columns, output, err, totals)) return false;
  if (options.format == Format::comments) output.write(last_comment_line(totals.queries));
  output.finish();
  if (options.summary && !options.quiet) err << "speedwell: " << summary_text(totals, options.device) << "\n";
  return true;
}

}  // namespace speedwell::cli

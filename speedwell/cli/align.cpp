#include "speedwell/cli/align.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/statistics.hpp"
#include "speedwell/cli/align_formats.hpp"
#include "speedwell/cli/align_scoring.hpp"
#include "speedwell/cli/align_sequences.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

// A batch of queries is so large that a device has work and so small that its scores and hits fit memory and that a GPU
// takes a second or two for it: only then a signal is seen.
constexpr std::size_t batch_queries = 512;
constexpr std::size_t batch_scores = std::size_t{1} << 24;
constexpr double batch_cells = 5e12;
// A pair of so many cells is aligned on all threads, one after another.
constexpr double cells_of_large_pair = 1e8;

// --- one query after its search
// ---------------------------------------------------------------------------------------

struct Search {
  const AlignOptions& options;
  const ResolvedScoring& resolved;
  const AlignmentReport& report;
  const PairAligner& aligner;
  std::span<const std::size_t> columns;  // of the tabular format
  bool plus, minus;                      // strands of the query that are aligned
};

std::optional<double> evalue_of(const Search& search, std::size_t query, std::size_t subject, std::int64_t score) {
  if (!search.resolved.statistics) return std::nullopt;
  const SequenceSet& database = search.report.database.set;
  const alignment::SearchSpace space{.query_length = static_cast<std::int64_t>(search.report.queries.set.length(query)),
                                     .database_letters = static_cast<std::int64_t>(database.letters()),
                                     .database_sequences = static_cast<std::int64_t>(database.size())};
  if (!search.resolved.finite_size) return alignment::evalue_ka(*search.resolved.statistics, score, space);
  return alignment::evalue_fsc(*search.resolved.statistics, score, space,
                               static_cast<std::int64_t>(database.length(subject)));
}

// The best hits of one query, without their paths. A subject is hit once: on the plus strand unless the minus strand
// scores higher.
std::vector<Hit> select(const Search& search, std::size_t query, const std::int32_t* plus, const std::int32_t* minus) {
  std::vector<Hit> hits;
  const std::int64_t least = std::max<std::int64_t>(1, search.options.min_score);  // 0 is the empty alignment
  for (std::size_t subject = 0; subject < search.report.database.set.size(); ++subject) {
    Hit hit{.subject = subject, .score = plus ? plus[subject] : 0};
    if (minus && minus[subject] > hit.score) {
      hit.score = minus[subject];
      hit.minus = true;
    }
    if (hit.score < least) continue;
    hit.evalue = evalue_of(search, query, subject, hit.score);
    if (hit.evalue && *hit.evalue > search.resolved.evalue) continue;
    hits.push_back(std::move(hit));
  }
  const std::size_t kept = std::min(hits.size(), search.options.top);
  std::partial_sort(
      hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(),
      [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.subject < b.subject; });
  hits.resize(kept);
  return hits;
}

double cells_of(const Search& search, std::size_t query, const Hit& hit) {
  return static_cast<double>(search.report.queries.set.length(query)) *
         static_cast<double>(search.report.database.set.length(hit.subject));
}

void trace(const Search& search, std::size_t query, Hit& hit, int threads) {
  const auto letters = search.report.query_codes(query, hit.minus);
  hit.alignment = search.aligner(letters, search.report.database.set.codes(hit.subject), search.resolved.scoring,
                                 {.threads = threads, .stop = search.options.stop});
  if (hit.alignment.score != hit.score)
    throw std::logic_error(fmt::format("query {}, subject {}: the search says score {}, the alignment {}", query + 1,
                                       hit.subject + 1, hit.score, hit.alignment.score));
  if (search.resolved.statistics) hit.bits = alignment::bit_score(*search.resolved.statistics, hit.score);
}

// Runs work(i) for 0 <= i < count on all threads and throws the first exception afterwards: none may leave the region.
template <class Work>
void parallel(std::size_t count, int threads, Work work) {
  std::exception_ptr first;
  std::mutex mutex;
  const int needed = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(threads)));
#pragma omp parallel for schedule(dynamic) num_threads(needed)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

// --- batches
// ----------------------------------------------------------------------------------------------------------

SequenceSet slice(const SequenceSet& set, std::size_t begin, std::size_t end) {
  SequenceSet part(set.alphabet());
  for (std::size_t i = begin; i < end; ++i) part.add_codes(set.name(i), set.codes(i));
  return part;
}

std::vector<std::int32_t> search_batch(const Search& search, const ScoreProvider& scores, const SequenceSet& queries,
                                       std::size_t begin, std::size_t end, std::atomic<std::int64_t>& cells) {
  const SequenceSet& database = search.report.database.set;
  const SequenceSet batch = slice(queries, begin, end);
  const auto after = cells.load() + static_cast<std::int64_t>(batch.letters() * database.letters());
  auto result = scores(batch, database, search.resolved.scoring, {.stop = search.options.stop, .cells = &cells});
  cells = after;  // a provider need not count
  if (result.size() != (end - begin) * database.size())
    throw std::logic_error("the search returned another number of scores than there are pairs");
  return result;
}

// The hits of queries begin … end, with paths.
std::vector<std::vector<Hit>> hits_of_batch(const Search& search, const ScoreProvider& scores, std::size_t begin,
                                            std::size_t end, std::atomic<std::int64_t>& cells) {
  const std::size_t subjects = search.report.database.set.size();
  std::vector<std::int32_t> plus, minus;
  if (search.plus) plus = search_batch(search, scores, search.report.queries.set, begin, end, cells);
  if (search.minus) minus = search_batch(search, scores, search.report.minus_queries, begin, end, cells);
  std::vector<std::vector<Hit>> hits(end - begin);
  const int threads = search.options.threads;
  parallel(hits.size(), threads, [&](std::size_t i) {
    hits[i] = select(search, begin + i, search.plus ? &plus[i * subjects] : nullptr,
                     search.minus ? &minus[i * subjects] : nullptr);
  });
  std::vector<std::pair<std::size_t, Hit*>> all;
  for (std::size_t i = 0; i < hits.size(); ++i)
    for (Hit& hit : hits[i]) {
      if (cells_of(search, begin + i, hit) >= cells_of_large_pair)
        trace(search, begin + i, hit, threads);
      else
        all.emplace_back(begin + i, &hit);
    }
  parallel(all.size(), threads, [&](std::size_t i) {
    if (search.options.stop && *search.options.stop) throw alignment::Stopped();
    trace(search, all[i].first, *all[i].second, 1);
  });
  return hits;
}

// --- output
// -----------------------------------------------------------------------------------------------------------

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

std::string formatted(const Search& search, std::size_t query, std::span<const Hit> hits) {
  switch (search.options.format) {
    case AlignOptions::Format::sam:
      return sam_lines(search.report, query, hits);
    case AlignOptions::Format::pairwise:
      return pairwise_text(search.report, query, hits);
    case AlignOptions::Format::tab:
      break;
  }
  return tab_lines(search.report, query, hits, search.columns);
}

// So many queries from `begin` on as make a batch.
std::size_t batch_end(const SequenceSet& queries, const SequenceSet& database, std::size_t begin) {
  const std::size_t most = std::clamp<std::size_t>(batch_scores / database.size(), 1, batch_queries);
  double cells = 0;
  std::size_t end = begin;
  while (end < queries.size() && end - begin < most && (end == begin || cells < batch_cells))
    cells += static_cast<double>(queries.length(end++)) * static_cast<double>(database.letters());
  return end;
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
  if (!options.columns.empty() && options.format != AlignOptions::Format::tab)
    throw UsageError("--columns is for --out-format tab", "");
  const std::vector<std::size_t> columns = tab_columns(options.columns.empty() ? "std" : options.columns);
  const auto warn = [&](const SequenceFile& file) {
    if (options.quiet) return;
    for (const io::Warning& warning : file.warnings) err << "speedwell: warning: " << io::to_string(warning) << "\n";
  };

  struct Reading {
    std::atomic<bool>* flag;
    explicit Reading(std::atomic<bool>* f) : flag(f) { set(true); }
    ~Reading() { set(false); }
    void set(bool value) const {
      if (flag) *flag = value;
    }
  };
  const Reading reading(options.reading);
  std::unique_ptr<io::Source> source = io::open_source(options.query);
  const std::optional<Alphabet> given = alphabet_of(options);
  Alphabet alphabet = given.value_or(Alphabet::protein);
  if (!given) {
    Sniffed sniffed = sniff(std::move(source));
    source = std::move(sniffed.source);
    alphabet = sniffed.alphabet;
  }
  const ResolvedScoring resolved = resolve_scoring(options, alphabet);  // before the long read: it may be refused
  if (!options.quiet) {
    err << "speedwell: " << describe(resolved) << "\n";
    if (!resolved.note.empty()) err << "speedwell: " << resolved.note << "\n";
  }
  const SequenceFile queries =
      read_sequence_file(std::move(source), io::display_name(options.query), alphabet, options.strict, !given);
  warn(queries);
  const SequenceFile database = read_sequence_file(
      io::open_source(options.database), io::display_name(options.database), alphabet, options.strict, !given);
  warn(database);
  check_letters(queries, resolved.scoring.matrix);
  check_letters(database, resolved.scoring.matrix);
  if (options.top_named && options.top > database.set.size())
    throw UsageError(fmt::format("--top {}: {} has {} sequence{}", options.top, database.file, database.set.size(),
                                 database.set.size() == 1 ? "" : "s"),
                     "--top all reports every hit");
  const bool sam = options.format == AlignOptions::Format::sam;
  if (sam) check_sam_names(queries, database);

  using Strand = AlignOptions::Strand;
  const bool minus = alphabet == Alphabet::dna && options.strand != Strand::plus;
  const SequenceSet minus_queries = minus ? reverse_complement(queries.set) : SequenceSet(alphabet);
  const AlignmentReport report{queries, minus_queries, database, resolved.scoring.matrix};
  const Search search{options, resolved, report, aligner, columns, options.strand != Strand::minus, minus};

  reading.set(false);
  Output output(options.out, out);
  if (sam) output.write(sam_header(database, options.version, options.command_line));
  const std::size_t count = options.top == 0 ? 0 : queries.set.size();
  const double all_cells = static_cast<double>(count ? queries.set.letters() : 0) *
                           static_cast<double>(database.set.letters()) * (search.plus && search.minus ? 2 : 1);
  std::atomic<std::int64_t> cells{0};
  try {
    const Progress progress(options.progress, err, all_cells, cells, options.progress_every);
    for (std::size_t begin = 0; begin < count;) {
      if (options.stop && *options.stop) return false;
      const std::size_t end = batch_end(queries.set, database.set, begin);
      const auto hits = hits_of_batch(search, scores, begin, end, cells);
      for (std::size_t query = begin; query < end; ++query) output.write(formatted(search, query, hits[query - begin]));
      begin = end;
    }
  } catch (const alignment::Stopped&) {
    return false;
  }
  if (options.stop && *options.stop) return false;
  output.finish();
  return true;
}

}  // namespace speedwell::cli

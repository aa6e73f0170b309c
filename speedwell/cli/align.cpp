#include "speedwell/cli/align.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
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

namespace speedwell::cli {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;
using Clock = std::chrono::steady_clock;

// A batch of queries is so large that a device has work and so small that its scores and hits fit memory.
constexpr std::size_t batch_queries = 512;
constexpr std::size_t batch_scores = std::size_t{1} << 24;

// --- one query after its search
// ---------------------------------------------------------------------------------------

struct Search {
  const AlignOptions& options;
  const ResolvedScoring& resolved;
  const AlignmentReport& report;
  bool plus, minus;  // strands of the query that are aligned
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

void trace(const Search& search, std::size_t query, Hit& hit) {
  const auto letters = search.report.query_codes(query, hit.minus);
  hit.alignment = alignment::align(letters, search.report.database.set.codes(hit.subject), search.resolved.scoring);
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
#pragma omp parallel for schedule(dynamic) num_threads(threads)
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
                                       std::size_t begin, std::size_t end) {
  const SequenceSet& database = search.report.database.set;
  auto result = scores(slice(queries, begin, end), database, search.resolved.scoring);
  if (result.size() != (end - begin) * database.size())
    throw std::logic_error("the search returned another number of scores than there are pairs");
  return result;
}

// The hits of queries begin … end, with paths.
std::vector<std::vector<Hit>> hits_of_batch(const Search& search, const ScoreProvider& scores, std::size_t begin,
                                            std::size_t end) {
  const std::size_t subjects = search.report.database.set.size();
  std::vector<std::int32_t> plus, minus;
  if (search.plus) plus = search_batch(search, scores, search.report.queries.set, begin, end);
  if (search.minus) minus = search_batch(search, scores, search.report.minus_queries, begin, end);
  std::vector<std::vector<Hit>> hits(end - begin);
  const int threads = search.options.threads;
  parallel(hits.size(), threads, [&](std::size_t i) {
    hits[i] = select(search, begin + i, search.plus ? &plus[i * subjects] : nullptr,
                     search.minus ? &minus[i * subjects] : nullptr);
  });
  std::vector<std::pair<std::size_t, Hit*>> all;
  for (std::size_t i = 0; i < hits.size(); ++i)
    for (Hit& hit : hits[i]) all.emplace_back(begin + i, &hit);
  parallel(all.size(), threads, [&](std::size_t i) { trace(search, all[i].first, *all[i].second); });
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

std::string formatted(const Search& search, std::size_t query, std::span<const Hit> hits) {
  switch (search.options.format) {
    case AlignOptions::Format::sam:
      return sam_lines(search.report, query, hits);
    case AlignOptions::Format::pairwise:
      return pairwise_text(search.report, query, hits);
    case AlignOptions::Format::tab:
      break;
  }
  return tab_lines(search.report, query, hits);
}

// One line that overwrites itself, ten times a second at most.
class Progress {
 public:
  Progress(bool shown, std::ostream& err, std::size_t queries) : shown_(shown), err_(err), queries_(queries) {}
  ~Progress() {
    if (drawn_) err_ << "\r\x1b[K" << std::flush;
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, double cells) {
    const auto now = Clock::now();
    if (!shown_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    err_ << fmt::format("\r\x1b[K{} of {} queries, {:.1f} GCUPS, {:.0f} s left", done, queries_, cells / seconds * 1e-9,
                        seconds / static_cast<double>(done) * static_cast<double>(queries_ - done))
         << std::flush;
  }

 private:
  bool shown_, drawn_ = false;
  std::ostream& err_;
  std::size_t queries_;
  Clock::time_point begin_ = Clock::now(), last_;
};

}  // namespace

ScoreProvider cpu_scores(int threads) {
  return [threads](const SequenceSet& queries, const SequenceSet& database, const alignment::Scoring& scoring) {
    return alignment::search_scores(queries, database, scoring, threads);
  };
}

bool run_align(const AlignOptions& options, const ScoreProvider& scores, std::ostream& out, std::ostream& err) {
  if (options.query == "-" && options.database == "-")
    throw UsageError("only one of QUERY and DATABASE can be standard input", "");
  const auto warn = [&](const SequenceFile& file) {
    if (options.quiet) return;
    for (const io::Warning& warning : file.warnings) err << "speedwell: warning: " << io::to_string(warning) << "\n";
  };

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
  const bool sam = options.format == AlignOptions::Format::sam;
  if (sam) check_sam_names(queries, database);

  using Strand = AlignOptions::Strand;
  const bool minus = alphabet == Alphabet::dna && options.strand != Strand::plus;
  const SequenceSet minus_queries = minus ? reverse_complement(queries.set) : SequenceSet(alphabet);
  const AlignmentReport report{queries, minus_queries, database, resolved.scoring.matrix};
  const Search search{options, resolved, report, options.strand != Strand::minus, minus};

  Output output(options.out, out);
  if (sam) output.write(sam_header(database, options.version, options.command_line));
  const std::size_t count = options.top == 0 ? 0 : queries.set.size();
  const std::size_t step = std::clamp<std::size_t>(batch_scores / database.set.size(), 1, batch_queries);
  Progress progress(options.progress, err, count);
  double cells = 0;
  for (std::size_t begin = 0; begin < count; begin += step) {
    const std::size_t end = std::min(count, begin + step);
    const auto hits = hits_of_batch(search, scores, begin, end);
    for (std::size_t query = begin; query < end; ++query) {
      output.write(formatted(search, query, hits[query - begin]));
      cells += static_cast<double>(queries.set.length(query)) * static_cast<double>(database.set.letters()) *
               (search.plus && search.minus ? 2 : 1);
    }
    progress.show(end, cells);
    if (options.stop && *options.stop && (*options.stop)()) return false;
  }
  output.finish();
  return true;
}

}  // namespace speedwell::cli

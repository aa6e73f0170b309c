#include "speedwell/apps/alignment/database_search/database_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/database_search/parallel.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::database_search {
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

void check_masking(Masking masking, const alignment::SubstitutionMatrix& matrix) {
  const Alphabet alphabet = matrix.alphabet();
  if (masking == Masking::none) return;
  if ((masking == Masking::seg) != (alphabet == Alphabet::protein))
    throw std::invalid_argument("SEG masks proteins, DUST masks DNA");
  if (!matrix.has(alignment::encode(alphabet, masked_residue(alphabet))))
    throw std::invalid_argument(fmt::format("masked residues score as {}, which the matrix {} does not score",
                                            masked_residue(alphabet), matrix.name()));
}

void check_options(const SequenceSet& queries, const SequenceSet& database, const SearchOptions& o) {
  if (queries.alphabet() != database.alphabet() || queries.alphabet() != o.scoring.matrix.alphabet())
    throw std::invalid_argument("queries, database and matrix are of different alphabets");
  if (o.strands == Strands::minus && queries.alphabet() == Alphabet::protein)
    throw std::invalid_argument("proteins have no minus strand");
  if (o.max_hits == 0) throw std::invalid_argument("max_hits: 0 is not at least 1");
  if (!(o.min_query_coverage >= 0 && o.min_query_coverage <= 100))
    throw std::invalid_argument(fmt::format("min_query_coverage: {} is not between 0 and 100", o.min_query_coverage));
  if (o.max_evalue && !(*o.max_evalue >= 0))
    throw std::invalid_argument(fmt::format("max_evalue: {} is not an E-value", *o.max_evalue));
  check_masking(o.masking, o.scoring.matrix);
}

ScoreProvider provider_of(const SearchOptions& o) {
  if (o.scores) return o.scores;
  if (o.devices.empty()) return cpu_scores(o.threads);
  if (ScoreProvider provider = gpu_scores(o.devices)) return provider;
  throw core::Unavailable("GPUs are asked for, and this build has no CUDA");
}

PairAligner aligner_of(const SearchOptions& o) {
  if (o.aligner) return o.aligner;
  return o.devices.empty() ? PairAligner(alignment::align) : gpu_aligner(o.devices.front());
}

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

}  // namespace

class DatabaseSearch::Engine {
 public:
  Engine(const SequenceSet& queries, const SequenceSet& database, SearchOptions options);
  double cells() const;
  const MaskedQueries* masked() const { return masked_ ? &*masked_ : nullptr; }
  bool run(const OnHits& on_hits) const;

 private:
  std::size_t batch_end(std::size_t begin) const;
  std::vector<std::vector<Hit>> hits_of_batch(std::size_t begin, std::size_t end,
                                              std::atomic<std::int64_t>& cells) const;
  std::vector<std::int32_t> scores_of(const SequenceSet& batch, std::atomic<std::int64_t>& cells) const;
  StrandScores search_strand(bool minus, std::size_t begin, std::size_t end, std::atomic<std::int64_t>& cells) const;
  std::optional<double> evalue_of(std::size_t query, std::size_t subject, std::int64_t score) const;
  std::vector<Hit> select(std::size_t query, const QueryScores& scores, const QueryScores& masked) const;
  void align_pair(const QueryHit& pair, int threads) const;
  void align_all(const std::vector<QueryHit>& pairs) const;
  void align_and_filter(std::size_t begin, std::vector<std::vector<Hit>>& hits) const;

  const SequenceSet& queries_;
  const SequenceSet& database_;
  SearchOptions options_;
  int threads_;
  bool plus_, minus_;  // strands of the query that are aligned
  SequenceSet minus_queries_;
  std::optional<MaskedQueries> masked_;
};

DatabaseSearch::Engine::Engine(const SequenceSet& queries, const SequenceSet& database, SearchOptions options)
    : queries_(queries),
      database_(database),
      options_(std::move(options)),
      threads_(core::resolve_threads(options_.threads)),
      plus_(options_.strands != Strands::minus),
      minus_(queries.alphabet() == Alphabet::dna && options_.strands != Strands::plus),
      minus_queries_(queries.alphabet()) {
  check_options(queries, database, options_);
  options_.scores = provider_of(options_);
  options_.aligner = aligner_of(options_);
  options_.alignments = options_.alignments || options_.min_query_coverage > 0;
  if (minus_) minus_queries_ = reverse_complement(queries);
  if (options_.masking != Masking::none) masked_ = mask_queries(queries, options_.masking, minus_, threads_);
}

// --- scores

std::vector<std::int32_t> DatabaseSearch::Engine::scores_of(const SequenceSet& batch,
                                                            std::atomic<std::int64_t>& cells) const {
  if (database_.size() == 0) return {};
  const auto after = cells.load() + static_cast<std::int64_t>(batch.residues() * database_.residues());
  auto result = options_.scores(batch, database_, options_.scoring, {.stop = options_.stop, .cells = &cells});
  cells = after;  // a provider need not count
  if (result.size() != batch.size() * database_.size())
    throw std::logic_error("the search returned another number of scores than there are pairs");
  return result;
}

StrandScores DatabaseSearch::Engine::search_strand(bool minus, std::size_t begin, std::size_t end,
                                                   std::atomic<std::int64_t>& cells) const {
  const SequenceSet& queries = minus ? minus_queries_ : queries_;
  SequenceSet batch(queries.alphabet());
  for (std::size_t i = begin; i < end; ++i) batch.add_codes(queries.name(i), queries.codes(i));
  StrandScores result{scores_of(batch, cells), {}};
  if (!masked_) return result;
  const SequenceSet& masked = minus ? masked_->minus : masked_->set;
  SequenceSet changed(queries.alphabet());
  std::vector<std::size_t> rows;
  for (std::size_t i = begin; i < end; ++i)
    if (masked_->differs[i]) {
      changed.add_codes(masked.name(i), masked.codes(i));
      rows.push_back(i - begin);
    }
  result.masked = result.scores;
  if (rows.empty()) return result;
  const auto other = scores_of(changed, cells);
  const auto subjects = static_cast<std::ptrdiff_t>(database_.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(k) * subjects, subjects,
                result.masked.begin() + static_cast<std::ptrdiff_t>(rows[k]) * subjects);
  return result;
}

// --- the hits of one query

std::optional<double> DatabaseSearch::Engine::evalue_of(std::size_t query, std::size_t subject,
                                                        std::int64_t score) const {
  if (!options_.statistics) return std::nullopt;
  const alignment::SearchSpace space{.query_length = static_cast<std::int64_t>(queries_.length(query)),
                                     .database_residues = static_cast<std::int64_t>(database_.residues()),
                                     .database_sequences = static_cast<std::int64_t>(database_.size())};
  if (!(options_.finite_size_correction && options_.statistics->finite_size()))
    return alignment::evalue_ka(*options_.statistics, score, space);
  return alignment::evalue_fsc(*options_.statistics, score, space,
                               static_cast<std::int64_t>(database_.length(subject)));
}

// The hits of one query, best first, without their alignments; as many as are asked for, or all where the coverage
// decides later. The masked scores decide whether and on which strand a subject is hit.
std::vector<Hit> DatabaseSearch::Engine::select(std::size_t query, const QueryScores& scores,
                                                const QueryScores& masked) const {
  std::vector<Hit> hits;
  const std::int64_t min_score = std::max<std::int64_t>(1, options_.min_score);  // 0 is the empty alignment
  const auto too_high = [&](const std::optional<double>& evalue) {
    return evalue && options_.max_evalue && *evalue > *options_.max_evalue;
  };
  for (std::size_t subject = 0; subject < database_.size(); ++subject) {
    const bool minus = masked.score(subject, true) > masked.score(subject, false);
    const std::int64_t found = masked.score(subject, minus);
    if (found < min_score) continue;
    Hit hit{.subject = subject, .score = scores.score(subject, minus), .minus = minus};
    hit.evalue = evalue_of(query, subject, hit.score);
    if (too_high(found == hit.score ? hit.evalue : evalue_of(query, subject, found))) continue;
    hits.push_back(std::move(hit));
  }
  const std::size_t kept = options_.min_query_coverage > 0 ? hits.size() : std::min(hits.size(), options_.max_hits);
  std::partial_sort(
      hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(),
      [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.subject < b.subject; });
  hits.resize(kept);
  if (options_.statistics)
    for (Hit& hit : hits) hit.bits = alignment::bit_score(*options_.statistics, hit.score);
  return hits;
}

// --- alignments

void DatabaseSearch::Engine::align_pair(const QueryHit& pair, int threads) const {
  Hit& hit = *pair.hit;
  const auto residues = (hit.minus ? minus_queries_ : queries_).codes(pair.query);
  hit.alignment = options_.aligner(residues, database_.codes(hit.subject), options_.scoring,
                                   {.threads = threads, .stop = options_.stop});
  if (hit.alignment.score != hit.score)
    throw std::logic_error(fmt::format("query {}, subject {}: the search says score {}, the alignment {}",
                                       pair.query + 1, hit.subject + 1, hit.score, hit.alignment.score));
}

void DatabaseSearch::Engine::align_all(const std::vector<QueryHit>& pairs) const {
  std::vector<QueryHit> small;
  for (const QueryHit& pair : pairs) {
    const double cells =
        static_cast<double>(queries_.length(pair.query)) * static_cast<double>(database_.length(pair.hit->subject));
    if (cells >= cells_of_large_pair)
      align_pair(pair, threads_);
    else
      small.push_back(pair);
  }
  parallel(small.size(), threads_, [&](std::size_t i) {
    if (options_.stop && *options_.stop) throw alignment::Stopped();
    align_pair(small[i], 1);
  });
}

// Aligns the best hits of every query until as many as are asked for cover enough of it, and drops all others.
void DatabaseSearch::Engine::align_and_filter(std::size_t begin, std::vector<std::vector<Hit>>& hits) const {
  std::vector<std::vector<Hit>> kept(hits.size());
  std::vector<std::size_t> first(hits.size()), count(hits.size());  // of the hits that are aligned in this round
  for (;;) {
    std::vector<QueryHit> round;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      first[i] += count[i];
      count[i] = std::min(hits[i].size() - first[i], options_.max_hits - kept[i].size());
      for (std::size_t k = 0; k < count[i]; ++k) round.push_back({begin + i, &hits[i][first[i] + k]});
    }
    if (round.empty()) break;
    align_all(round);
    for (std::size_t i = 0; i < hits.size(); ++i)
      for (std::size_t k = 0; k < count[i]; ++k) {
        Hit& hit = hits[i][first[i] + k];
        if (query_coverage(hit, queries_.length(begin + i)) >= options_.min_query_coverage)
          kept[i].push_back(std::move(hit));
      }
  }
  hits = std::move(kept);
}

// --- batches

// The query after the last one of the batch that starts with `begin`.
std::size_t DatabaseSearch::Engine::batch_end(std::size_t begin) const {
  const std::size_t subjects = std::max<std::size_t>(1, database_.size());
  const std::size_t max_queries = std::clamp<std::size_t>(batch_scores / subjects, 1, batch_queries);
  double cells = 0;
  std::size_t end = begin;
  while (end < queries_.size() && end - begin < max_queries && (end == begin || cells < batch_cells))
    cells += static_cast<double>(queries_.length(end++)) * static_cast<double>(database_.residues());
  return end;
}

std::vector<std::vector<Hit>> DatabaseSearch::Engine::hits_of_batch(std::size_t begin, std::size_t end,
                                                                    std::atomic<std::int64_t>& cells) const {
  StrandScores plus, minus;
  if (plus_) plus = search_strand(false, begin, end, cells);
  if (minus_) minus = search_strand(true, begin, end, cells);
  const std::size_t subjects = database_.size();
  std::vector<std::vector<Hit>> hits(end - begin);
  parallel(hits.size(), threads_, [&](std::size_t i) {
    const auto row = [&](const std::vector<std::int32_t>& scores) {
      return scores.empty() ? std::span<const std::int32_t>{} : std::span(scores).subspan(i * subjects, subjects);
    };
    const QueryScores scores{row(plus.scores), row(minus.scores)};
    hits[i] = select(begin + i, scores, masked_ ? QueryScores{row(plus.masked), row(minus.masked)} : scores);
  });
  if (options_.alignments) align_and_filter(begin, hits);
  return hits;
}

double DatabaseSearch::Engine::cells() const {
  double residues = static_cast<double>(queries_.residues());
  if (masked_)
    for (std::size_t i = 0; i < masked_->differs.size(); ++i)
      if (masked_->differs[i]) residues += static_cast<double>(masked_->set.length(i));
  return residues * static_cast<double>(database_.residues()) * (plus_ && minus_ ? 2 : 1);
}

bool DatabaseSearch::Engine::run(const OnHits& on_hits) const {
  std::atomic<std::int64_t> uncounted{0};
  std::atomic<std::int64_t>& cells = options_.cells ? *options_.cells : uncounted;
  const auto stopped = [this] { return options_.stop && *options_.stop; };
  try {
    for (std::size_t begin = 0; begin < queries_.size();) {
      if (stopped()) return false;
      const std::size_t end = batch_end(begin);
      const auto hits = hits_of_batch(begin, end, cells);
      for (std::size_t query = begin; query < end; ++query) on_hits(query, hits[query - begin]);
      begin = end;
    }
  } catch (const alignment::Stopped&) {
    return false;
  }
  return !stopped();
}

DatabaseSearch::DatabaseSearch(const SequenceSet& queries, const SequenceSet& database, SearchOptions options)
    : engine_(std::make_unique<Engine>(queries, database, std::move(options))) {}
DatabaseSearch::~DatabaseSearch() = default;
double DatabaseSearch::cells() const { return engine_->cells(); }
const MaskedQueries* DatabaseSearch::masked() const { return engine_->masked(); }
bool DatabaseSearch::run(const OnHits& on_hits) const { return engine_->run(on_hits); }

bool search(const SequenceSet& queries, const SequenceSet& database, SearchOptions options, const OnHits& on_hits) {
  return DatabaseSearch(queries, database, std::move(options)).run(on_hits);
}

Range query_range(const Hit& hit, std::size_t length) {
  const std::int64_t first = hit.alignment.query_begin, last = hit.alignment.query_end;
  if (!hit.minus) return {first, last};
  return {static_cast<std::int64_t>(length) - last + 1, static_cast<std::int64_t>(length) - first + 1};
}

double query_coverage(const Hit& hit, std::size_t length) {
  const Range q = query_range(hit, length);
  return io::percent(hit.alignment.columns == 0 ? 0 : q.last - q.first + 1, static_cast<std::int64_t>(length));
}

}  // namespace speedwell::database_search

#include "speedwell/apps/alignment/database_search/batch_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/database_search/parallel.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

// A batch of queries is so large that a device has work and so small that its scores and hits fit memory and that a GPU
// takes a second or two for it: only then a signal is seen.
constexpr std::size_t batch_scores = std::size_t{1} << 24;
constexpr double batch_cells = 5e12;

void check_masking(Masking masking, const alignment::SubstitutionMatrix& matrix) {
  const Alphabet alphabet = matrix.alphabet();
  if (masking == Masking::none) return;
  if ((masking == Masking::seg) != (alphabet == Alphabet::protein))
    throw std::invalid_argument("SEG masks proteins, DUST masks DNA");
  if (!matrix.has(alignment::encode(alphabet, masked_residue(alphabet))))
    throw std::invalid_argument(fmt::format("masked residues score as {}, which the matrix {} does not score",
                                            masked_residue(alphabet), matrix.name()));
}

void check_options(const SequenceSet& queries, const SearchOptions& o) {
  if (queries.alphabet() != o.scoring.matrix.alphabet())
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

PairsAligner aligner_of(const SearchOptions& o, int threads) {
  if (o.pairs_aligner) return o.pairs_aligner;
  if (o.aligner) return align_each(o.aligner, threads, o.stop);
  return align_each(o.devices.empty() ? PairAligner(alignment::align) : gpu_aligner(o.devices), threads, o.stop);
}

}  // namespace

BatchSearch::BatchSearch(const SequenceSet& queries, SearchOptions options)
    : queries_(queries),
      options_(std::move(options)),
      threads_(core::resolve_threads(options_.threads)),
      plus_(options_.strands != Strands::minus),
      minus_(queries.alphabet() == Alphabet::dna && options_.strands != Strands::plus),
      minus_queries_(queries.alphabet()) {
  check_options(queries, options_);
  options_.scores = provider_of(options_);
  options_.pairs_aligner = aligner_of(options_, threads_);
  options_.alignments = options_.alignments || options_.min_query_coverage > 0;
  if (minus_) minus_queries_ = reverse_complement(queries);
  if (options_.masking != Masking::none) masked_ = mask_queries(queries, options_.masking, minus_, threads_);
}

// --- scores

std::vector<std::int32_t> BatchSearch::scores_of(const SequenceSet& batch, const SequenceSet& block) const {
  if (block.size() == 0) return {};
  std::atomic<std::int64_t>& cells = options_.cells ? *options_.cells : uncounted_;
  const auto after = cells.load() + static_cast<std::int64_t>(batch.residues() * block.residues());
  auto result = options_.scores(batch, block, options_.scoring, {.stop = options_.stop, .cells = &cells});
  cells = after;  // a provider need not count
  if (result.size() != batch.size() * block.size())
    throw std::logic_error("the search returned another number of scores than there are pairs");
  return result;
}

BatchSearch::StrandScores BatchSearch::search_strand(bool minus, const SequenceSet& block, std::size_t begin,
                                                     std::size_t end) const {
  const SequenceSet& queries = minus ? minus_queries_ : queries_;
  SequenceSet batch(queries.alphabet());
  for (std::size_t i = begin; i < end; ++i) batch.add_codes(queries.name(i), queries.codes(i));
  StrandScores result{scores_of(batch, block), {}};
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
  const auto other = scores_of(changed, block);
  const auto subjects = static_cast<std::ptrdiff_t>(block.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(k) * subjects, subjects,
                result.masked.begin() + static_cast<std::ptrdiff_t>(rows[k]) * subjects);
  return result;
}

// --- the hits of one query

std::optional<double> BatchSearch::evalue_of(std::size_t query, std::size_t subject_length, const DatabaseSize& whole,
                                             std::int64_t score) const {
  if (!options_.statistics) return std::nullopt;
  const alignment::SearchSpace space{.query_length = static_cast<std::int64_t>(queries_.length(query)),
                                     .database_residues = static_cast<std::int64_t>(whole.residues),
                                     .database_sequences = static_cast<std::int64_t>(whole.sequences)};
  if (!(options_.finite_size_correction && options_.statistics->finite_size()))
    return alignment::evalue_ka(*options_.statistics, score, space);
  return alignment::evalue_fsc(*options_.statistics, score, space, static_cast<std::int64_t>(subject_length));
}

// The hits of one query, best first, without their alignments; as many as are asked for, or all where the coverage
// decides later. The masked scores decide whether and on which strand a subject is hit.
std::vector<Hit> BatchSearch::select(std::size_t query, const SequenceSet& block, const DatabaseSize& whole,
                                     const QueryScores& scores, const QueryScores& masked) const {
  std::vector<Hit> hits;
  const std::int64_t min_score = std::max<std::int64_t>(1, options_.min_score);  // 0 is the empty alignment
  const auto too_high = [&](const std::optional<double>& evalue) {
    return evalue && options_.max_evalue && *evalue > *options_.max_evalue;
  };
  for (std::size_t subject = 0; subject < block.size(); ++subject) {
    const bool minus = masked.score(subject, true) > masked.score(subject, false);
    const std::int64_t found = masked.score(subject, minus);
    if (found < min_score) continue;
    Hit hit{.subject = subject, .score = scores.score(subject, minus), .minus = minus};
    hit.evalue = evalue_of(query, block.length(subject), whole, hit.score);
    if (too_high(found == hit.score ? hit.evalue : evalue_of(query, block.length(subject), whole, found))) continue;
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

void BatchSearch::align_all(const SequenceSet& block, const std::vector<QueryHit>& pairs) const {
  std::vector<CodePair> codes;
  for (const QueryHit& pair : pairs)
    codes.push_back({(pair.hit->minus ? minus_queries_ : queries_).codes(pair.query), block.codes(pair.hit->subject)});
  std::vector<alignment::Alignment> alignments = options_.pairs_aligner(codes, options_.scoring);
  if (alignments.size() != pairs.size())
    throw std::logic_error("another number of alignments was returned than there are pairs");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Hit& hit = *pairs[i].hit;
    hit.alignment = std::move(alignments[i]);
    if (hit.alignment.score != hit.score)
      throw std::logic_error(fmt::format("query {}, subject {}: the search says score {}, the alignment {}",
                                         pairs[i].query + 1, hit.subject + 1, hit.score, hit.alignment.score));
  }
}

void BatchSearch::align(const SequenceSet& block, std::size_t begin, std::vector<std::vector<Hit>>& hits) const {
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
    align_all(block, round);
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

std::size_t BatchSearch::batch_end(std::size_t begin, const SequenceSet& block) const {
  const std::size_t subjects = std::max<std::size_t>(1, block.size());
  const std::size_t max_queries = std::clamp<std::size_t>(batch_scores / subjects, 1, max_batch_queries);
  double cells = 0;
  std::size_t end = begin;
  while (end < queries_.size() && end - begin < max_queries && (end == begin || cells < batch_cells))
    cells += static_cast<double>(queries_.length(end++)) * static_cast<double>(block.residues());
  return end;
}

std::vector<std::vector<Hit>> BatchSearch::search(const SequenceSet& block, const DatabaseSize& whole,
                                                  std::size_t begin, std::size_t end) const {
  StrandScores plus, minus;
  if (plus_) plus = search_strand(false, block, begin, end);
  if (minus_) minus = search_strand(true, block, begin, end);
  const std::size_t subjects = block.size();
  std::vector<std::vector<Hit>> hits(end - begin);
  parallel(hits.size(), threads_, [&](std::size_t i) {
    const auto row = [&](const std::vector<std::int32_t>& scores) {
      return scores.empty() ? std::span<const std::int32_t>{} : std::span(scores).subspan(i * subjects, subjects);
    };
    const QueryScores scores{row(plus.scores), row(minus.scores)};
    hits[i] =
        select(begin + i, block, whole, scores, masked_ ? QueryScores{row(plus.masked), row(minus.masked)} : scores);
  });
  return hits;
}

double BatchSearch::cells(std::size_t database_residues) const {
  double residues = static_cast<double>(queries_.residues());
  if (masked_)
    for (std::size_t i = 0; i < masked_->differs.size(); ++i)
      if (masked_->differs[i]) residues += static_cast<double>(masked_->set.length(i));
  return residues * static_cast<double>(database_residues) * (plus_ && minus_ ? 2 : 1);
}

bool BatchSearch::run(const SequenceSet& database, const OnHits& on_hits) const {
  try {
    for (std::size_t begin = 0; begin < queries_.size();) {
      if (is_stopped()) return false;
      const std::size_t end = batch_end(begin, database);
      auto hits = search(database, {database.size(), database.residues()}, begin, end);
      if (options_.alignments) align(database, begin, hits);
      for (std::size_t query = begin; query < end; ++query) on_hits(query, hits[query - begin]);
      begin = end;
    }
  } catch (const alignment::Stopped&) {
    return false;
  }
  return !is_stopped();
}

}  // namespace speedwell::database_search

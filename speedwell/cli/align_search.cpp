#include "speedwell/cli/align_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/alignment/statistics.hpp"
#include "speedwell/cli/align_columns.hpp"
#include "speedwell/cli/align_parallel.hpp"

namespace speedwell::cli {
namespace {

using alignment::SequenceSet;

// A batch of queries is so large that a device has work and so small that its scores and hits fit memory and that a GPU
// takes a second or two for it: only then a signal is seen.
constexpr std::size_t batch_queries = 512;
constexpr std::size_t batch_scores = std::size_t{1} << 24;
constexpr double batch_cells = 5e12;
// A pair of so many cells is aligned on all threads, one after another.
constexpr double cells_of_large_pair = 1e8;

// --- scores

std::vector<std::int32_t> scores_of(const Search& search, const SequenceSet& batch, std::atomic<std::int64_t>& cells) {
  const SequenceSet& database = search.report.database.set;
  const auto after = cells.load() + static_cast<std::int64_t>(batch.letters() * database.letters());
  auto result = search.scores(batch, database, search.resolved.scoring, {.stop = search.options.stop, .cells = &cells});
  cells = after;  // a provider need not count
  if (result.size() != batch.size() * database.size())
    throw std::logic_error("the search returned another number of scores than there are pairs");
  return result;
}

// Scores of queries begin … end - 1, and what they are with masked letters: the same but for queries that have some.
struct StrandScores {
  std::vector<std::int32_t> scores, masked;
};

StrandScores search_strand(const Search& search, const SequenceSet& queries, const SequenceSet* masked,
                           std::size_t begin, std::size_t end, std::atomic<std::int64_t>& cells) {
  SequenceSet batch(queries.alphabet());
  for (std::size_t i = begin; i < end; ++i) batch.add_codes(queries.name(i), queries.codes(i));
  StrandScores result{scores_of(search, batch, cells), {}};
  if (!masked) return result;
  SequenceSet changed(queries.alphabet());
  std::vector<std::size_t> rows;
  for (std::size_t i = begin; i < end; ++i)
    if (search.masked->differs[i]) {
      changed.add_codes(masked->name(i), masked->codes(i));
      rows.push_back(i - begin);
    }
  result.masked = result.scores;
  if (rows.empty()) return result;
  const auto other = scores_of(search, changed, cells);
  const auto subjects = static_cast<std::ptrdiff_t>(search.report.database.set.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(k) * subjects, subjects,
                result.masked.begin() + static_cast<std::ptrdiff_t>(rows[k]) * subjects);
  return result;
}

// --- the hits of one query

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

// Scores of one query with every subject, of either strand; empty for a strand that is not searched.
struct QueryScores {
  std::span<const std::int32_t> plus, minus;
  std::int64_t score(std::size_t subject, bool on_minus) const {
    const auto& scores = on_minus ? minus : plus;
    return scores.empty() ? 0 : scores[subject];
  }
};

// The hits of one query, best first, without their alignments; as many as are asked for, or all where the coverage
// decides later. A subject is hit once: on the plus strand unless the minus strand scores higher. With --mask the
// masked scores decide whether and on which strand it is hit.
std::vector<Hit> select(const Search& search, std::size_t query, const QueryScores& scores, const QueryScores& masked) {
  std::vector<Hit> hits;
  const std::int64_t min_score = std::max<std::int64_t>(1, search.options.min_score);  // 0 is the empty alignment
  const auto too_high = [&](const std::optional<double>& evalue) { return evalue && *evalue > search.resolved.evalue; };
  for (std::size_t subject = 0; subject < search.report.database.set.size(); ++subject) {
    const bool minus = masked.score(subject, true) > masked.score(subject, false);
    const std::int64_t found = masked.score(subject, minus);
    if (found < min_score) continue;
    Hit hit{.subject = subject, .score = scores.score(subject, minus), .minus = minus};
    hit.evalue = evalue_of(search, query, subject, hit.score);
    if (too_high(found == hit.score ? hit.evalue : evalue_of(search, query, subject, found))) continue;
    hits.push_back(std::move(hit));
  }
  const std::size_t kept = search.options.query_cover > 0 ? hits.size() : std::min(hits.size(), search.options.top);
  std::partial_sort(
      hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(),
      [](const Hit& a, const Hit& b) { return a.score != b.score ? a.score > b.score : a.subject < b.subject; });
  hits.resize(kept);
  if (search.resolved.statistics)
    for (Hit& hit : hits) hit.bits = alignment::bit_score(*search.resolved.statistics, hit.score);
  return hits;
}

// --- alignments

struct QueryHit {
  std::size_t query;
  Hit* hit;
};

void align_pair(const Search& search, const QueryHit& pair, int threads) {
  Hit& hit = *pair.hit;
  const auto letters = search.report.query_codes(pair.query, hit.minus);
  hit.alignment = search.aligner(letters, search.report.database.set.codes(hit.subject), search.resolved.scoring,
                                 {.threads = threads, .stop = search.options.stop});
  if (hit.alignment.score != hit.score)
    throw std::logic_error(fmt::format("query {}, subject {}: the search says score {}, the alignment {}",
                                       pair.query + 1, hit.subject + 1, hit.score, hit.alignment.score));
}

void align_all(const Search& search, const std::vector<QueryHit>& pairs) {
  std::vector<QueryHit> small;
  for (const QueryHit& pair : pairs) {
    const double cells = static_cast<double>(search.report.queries.set.length(pair.query)) *
                         static_cast<double>(search.report.database.set.length(pair.hit->subject));
    if (cells >= cells_of_large_pair)
      align_pair(search, pair, search.options.threads);
    else
      small.push_back(pair);
  }
  parallel(small.size(), search.options.threads, [&](std::size_t i) {
    if (search.options.stop && *search.options.stop) throw alignment::Stopped();
    align_pair(search, small[i], 1);
  });
}

// Aligns the best hits of every query until as many as are asked for cover enough of it, and drops all others.
void align_and_filter(const Search& search, std::size_t begin, std::vector<std::vector<Hit>>& hits) {
  std::vector<std::vector<Hit>> kept(hits.size());
  std::vector<std::size_t> first(hits.size()), count(hits.size());  // of the hits that are aligned in this round
  for (;;) {
    std::vector<QueryHit> round;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      first[i] += count[i];
      count[i] = std::min(hits[i].size() - first[i], search.options.top - kept[i].size());
      for (std::size_t k = 0; k < count[i]; ++k) round.push_back({begin + i, &hits[i][first[i] + k]});
    }
    if (round.empty()) break;
    align_all(search, round);
    for (std::size_t i = 0; i < hits.size(); ++i)
      for (std::size_t k = 0; k < count[i]; ++k) {
        Hit& hit = hits[i][first[i] + k];
        if (query_coverage(search.report, begin + i, hit) >= search.options.query_cover)
          kept[i].push_back(std::move(hit));
      }
  }
  hits = std::move(kept);
}

}  // namespace

std::size_t batch_end(const Search& search, std::size_t begin) {
  const SequenceSet& queries = search.report.queries.set;
  const SequenceSet& database = search.report.database.set;
  const std::size_t max_queries = std::clamp<std::size_t>(batch_scores / database.size(), 1, batch_queries);
  double cells = 0;
  std::size_t end = begin;
  while (end < queries.size() && end - begin < max_queries && (end == begin || cells < batch_cells))
    cells += static_cast<double>(queries.length(end++)) * static_cast<double>(database.letters());
  return end;
}

std::vector<std::vector<Hit>> hits_of_batch(const Search& search, std::size_t begin, std::size_t end,
                                            std::atomic<std::int64_t>& cells) {
  const MaskedQueries* masked = search.masked;
  StrandScores plus, minus;
  if (search.plus)
    plus = search_strand(search, search.report.queries.set, masked ? &masked->set : nullptr, begin, end, cells);
  if (search.minus)
    minus = search_strand(search, search.report.minus_queries, masked ? &masked->minus : nullptr, begin, end, cells);
  const std::size_t subjects = search.report.database.set.size();
  std::vector<std::vector<Hit>> hits(end - begin);
  parallel(hits.size(), search.options.threads, [&](std::size_t i) {
    const auto row = [&](const std::vector<std::int32_t>& scores) {
      return scores.empty() ? std::span<const std::int32_t>{} : std::span(scores).subspan(i * subjects, subjects);
    };
    const QueryScores scores{row(plus.scores), row(minus.scores)};
    hits[i] = select(search, begin + i, scores, masked ? QueryScores{row(plus.masked), row(minus.masked)} : scores);
  });
  if (search.alignments) align_and_filter(search, begin, hits);
  return hits;
}

double cells_of(const Search& search) {
  double letters = static_cast<double>(search.report.queries.set.letters());
  if (search.masked)
    for (std::size_t i = 0; i < search.masked->differs.size(); ++i)
      if (search.masked->differs[i]) letters += static_cast<double>(search.masked->set.length(i));
  return letters * static_cast<double>(search.report.database.set.letters()) * (search.plus && search.minus ? 2 : 1);
}

}  // namespace speedwell::cli

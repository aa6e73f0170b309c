// Kernel 3: all of a query against main, sixteen queries at a time, main in chunks that overlap. The overlap is exact:
// a path with a score of at least T has at most floor((M L - gap_open - T) / gap_extend) symbols of main without
// partner and L with one, where M is the highest score and L the query's length; so all paths that a place's score or
// begin depends on lie inside it. Without a cost of extension there is no such bound, and main is one chunk.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "speedwell/apps/alignment/ssca1/kernels.hpp"
#include "speedwell/apps/alignment/ssca1/parallel.hpp"
#include "speedwell/apps/alignment/ssca1/ssca1.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

bool comes_first(const Place& a, const Place& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.end != b.end ? a.end < b.end : a.begin < b.begin;
}

/// Whether a number nearer than `distance` to `value` is in the set.
bool has_near(const std::set<std::int64_t>& numbers, std::int64_t value, std::int64_t distance) {
  const auto next = numbers.lower_bound(value - distance + 1);
  return distance > 0 && next != numbers.end() && *next < value + distance;
}

/// The greedy choice with both ends and begins at least `separation` apart. `used`: how many places were looked at.
std::vector<Place> choose(const std::vector<Place>& sorted, std::int64_t separation, std::size_t count,
                          std::size_t* used = nullptr) {
  std::vector<Place> accepted;
  std::set<std::int64_t> ends, begins;
  std::size_t k = 0;
  for (; k < sorted.size() && accepted.size() < count; ++k) {
    const Place& place = sorted[k];
    if (has_near(ends, place.end, separation) || has_near(begins, place.begin, separation)) continue;
    accepted.push_back(place);
    ends.insert(place.end);
    begins.insert(place.begin);
  }
  if (used) *used = k;
  return accepted;
}

/// Places of one query in one chunk. Those that cannot be accepted are dropped now and then: of places that are all
/// 2 separation - 1 apart in both ends and begins, one place is in conflict with two at most; so when 2 count of them
/// are there, `count` places that come no later than the last of them will be accepted, and none after it.
class Places {
 public:
  explicit Places(const SimilarRules& rules) : rules_(rules) {}
  void add(const Place& place) {
    places_.push_back(place);
    if (places_.size() >= limit_) drop();
  }
  void add(const Places& others) {
    for (const Place& place : others.places_) add(place);
  }
  std::vector<Place> accepted() {
    std::sort(places_.begin(), places_.end(), comes_first);
    return choose(places_, rules_.separation, rules_.count);
  }

 private:
  void drop() {
    std::sort(places_.begin(), places_.end(), comes_first);
    std::size_t used = 0;
    const std::size_t enough = 2 * rules_.count;
    const std::int64_t apart = rules_.separation > 0 ? 2 * rules_.separation - 1 : 0;
    if (choose(places_, apart, enough, &used).size() == enough) places_.resize(used);
    limit_ = std::max(limit_, 2 * places_.size());
  }

  SimilarRules rules_;
  std::vector<Place> places_;
  std::size_t limit_ = 4096;
};

/// Up to sixteen queries of like lengths.
struct Batch {
  std::vector<std::size_t> queries;
  std::vector<std::int32_t> lengths;  // sixteen
  std::size_t rows = 0;
  std::int64_t overlap = 0;  // -1: all of main
  core::HostBuffer<std::int32_t> profile;
  std::vector<std::uint8_t> codes;
};

constexpr std::size_t most_profile_bytes = std::size_t{1} << 22;

Batch make_batch(std::span<const Codes> all, std::span<const std::size_t> chosen, const Scoring& scoring,
                 const SimilarRules& rules) {
  constexpr auto lanes = static_cast<std::size_t>(wide_lanes);
  Batch batch;
  batch.queries.assign(chosen.begin(), chosen.end());
  batch.lengths.assign(lanes, 0);
  for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
    batch.lengths[lane] = static_cast<std::int32_t>(all[chosen[lane]].size());
    batch.rows = std::max(batch.rows, all[chosen[lane]].size());
  }
  const auto symbols = static_cast<std::size_t>(scoring.symbols());
  batch.codes.assign(batch.rows * lanes, 0);
  for (std::size_t lane = 0; lane < chosen.size(); ++lane)
    for (std::size_t x = 0; x < all[chosen[lane]].size(); ++x) batch.codes[x * lanes + lane] = all[chosen[lane]][x];
  if (symbols * batch.codes.size() * sizeof(std::int32_t) <= most_profile_bytes) {
    batch.profile = core::HostBuffer<std::int32_t>(symbols * batch.codes.size());
    for (std::size_t s = 0; s < symbols; ++s)
      for (std::size_t k = 0; k < batch.codes.size(); ++k)
        batch.profile[s * batch.codes.size() + k] = scoring.score(batch.codes[k], static_cast<int>(s));
  }
  const auto length = static_cast<std::int64_t>(batch.rows);
  const std::int64_t most =
      std::int64_t{std::max(0, scoring.highest())} * length - scoring.gap_open() - rules.minimum_score;
  if (most < 0)
    batch.overlap = length;
  else
    batch.overlap = scoring.gap_extend() > 0 ? length + most / scoring.gap_extend() : -1;
  return batch;
}

/// A batch against the columns [first, last).
struct Task {
  std::size_t batch;
  std::int64_t first, last;
};

}  // namespace

std::vector<std::vector<Place>> find_similar(Codes main, std::span<const Codes> queries, const Scoring& scoring,
                                             const SimilarRules& rules, const Options& options) {
  if (rules.separation < 0 || !(rules.span_factor >= 0))
    throw std::invalid_argument("a negative separation or span of places");
  for (const Codes query : queries) require_exact(scoring, main, query);
  const auto lowest = std::max({-std::int64_t{scoring.lowest()}, std::int64_t{scoring.gap_extend()}, std::int64_t{1}});
  for (const Codes query : queries)  // paths that consume all of a query may be far below zero
    if (query.size() + 2 > static_cast<std::size_t>((std::int64_t{1} << 28) / lowest))
      throw std::invalid_argument("a query of " + std::to_string(query.size()) + " symbols with costs of " +
                                  std::to_string(lowest) + ": a score could pass -2^29");
  const Kernels& kernel = kernels(options.isa);

  // Like lengths together; queries of nothing are like no place.
  std::vector<std::size_t> order;
  for (std::size_t q = 0; q < queries.size(); ++q)
    if (!queries[q].empty()) order.push_back(q);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return queries[a].size() > queries[b].size(); });
  std::vector<Batch> batches;
  for (std::size_t first = 0; first < order.size(); first += wide_lanes)
    batches.push_back(
        make_batch(queries, std::span(order).subspan(first, std::min<std::size_t>(wide_lanes, order.size() - first)),
                   scoring, rules));

  const auto n = static_cast<std::int64_t>(main.size());
  std::vector<Task> tasks;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    // A begin is kept as 32 bits from the chunk's first column.
    constexpr std::int64_t most_columns = std::int64_t{1} << 30;
    const std::int64_t overlap = batches[b].overlap;
    if ((overlap < 0 || overlap >= most_columns) && n > most_columns)
      throw std::invalid_argument("places in a sequence of " + std::to_string(n) +
                                  " symbols with gaps of which no bound below 2^30 is known");
    const std::int64_t least = std::max<std::int64_t>(16384, 16 * overlap);
    const std::int64_t chunk = overlap < 0 ? std::max<std::int64_t>(n, 1) : std::min(least, most_columns);
    for (std::int64_t first = 0; first < n; first += chunk) tasks.push_back({b, first, std::min(n, first + chunk)});
  }

  std::vector<Places> places(queries.size(), Places(rules));
  for_each_item(static_cast<std::int64_t>(tasks.size()), options.threads, [&](std::int64_t k) {
    const Task& task = tasks[static_cast<std::size_t>(k)];
    const Batch& batch = batches[task.batch];
    struct Found {
      std::int64_t first;
      const SimilarRules& rules;
      const Batch& batch;
      std::vector<Places> places;
    };
    const std::int64_t first = batch.overlap < 0 ? 0 : std::max<std::int64_t>(0, task.first - batch.overlap);
    Found found{first, rules, batch, std::vector<Places>(batch.queries.size(), Places(rules))};
    core::HostBuffer<std::int32_t> workspace(4 * (batch.rows + 1) * wide_lanes);
    kernel.similar({.main = main.data(),
                    .first = first,
                    .last = task.last,
                    .owned = task.first,
                    .rows = batch.rows,
                    .lengths = batch.lengths.data(),
                    .profile = batch.profile.size() > 0 ? batch.profile.data() : nullptr,
                    .queries = batch.codes.data(),
                    .scores = scoring.scores().data(),
                    .symbols = scoring.symbols(),
                    .gap_open = scoring.gap_open(),
                    .gap_extend = scoring.gap_extend(),
                    .minimum_score = rules.minimum_score,
                    .workspace = workspace.data(),
                    .found =
                        [](void* context, int lane, std::int64_t column, std::int32_t score, std::int32_t begin) {
                          auto& f = *static_cast<Found*>(context);
                          const Place place{score, f.first + begin + 1, column + 1};
                          const auto span = static_cast<double>(place.end - place.begin + 1);
                          if (span <= f.rules.span_factor * f.batch.lengths[static_cast<std::size_t>(lane)])
                            f.places[static_cast<std::size_t>(lane)].add(place);
                        },
                    .context = &found});
#pragma omp critical(speedwell_ssca1_places)
    for (std::size_t lane = 0; lane < batch.queries.size(); ++lane) places[batch.queries[lane]].add(found.places[lane]);
  });
  std::vector<std::vector<Place>> accepted(queries.size());
  for_each_item(static_cast<std::int64_t>(queries.size()), options.threads, [&](std::int64_t q) {
    accepted[static_cast<std::size_t>(q)] = places[static_cast<std::size_t>(q)].accepted();
  });
  return accepted;
}

std::vector<Codes> match_parts(Codes match, std::span<const LocalAlignment> alignments) {
  std::vector<Codes> parts;
  for (const LocalAlignment& a : alignments) {
    if (a.match_begin < 1 || a.match_end < a.match_begin || a.match_end > static_cast<std::int64_t>(match.size()))
      throw std::invalid_argument("an alignment outside match");
    parts.push_back(match.subspan(static_cast<std::size_t>(a.match_begin - 1),
                                  static_cast<std::size_t>(a.match_end - a.match_begin + 1)));
  }
  return parts;
}

}  // namespace speedwell::alignment::ssca1

// Kernel 3: semi-global alignments of whole queries with main. First a filter computes scores of as many queries as a
// vector has bytes; where one is sufficient, the complete recurrence, which propagates the begins of paths, finds the
// region. Queries that are too long for bytes use only the latter, sixteen at a time.
//
// Main is divided into overlapping chunks. The overlap makes this exact: a path with a score of at least T has at most
// floor((M L - gap_open - T) / gap_extend) unpaired symbols of main and L paired ones, where M is the highest score of
// a pair and L the length of the query; so all paths that affect the score or begin of a region are inside of the
// chunk. Without an extension cost there is no such bound, and main is a single chunk.
#include <algorithm>
#include <deque>
#include <numeric>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/kernel3_regions.hpp"
#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::size_t max_profile_bytes = std::size_t{1} << 22;

/// The data that all chunks and queries share.
struct Search {
  Codes main;
  std::span<const Codes> queries;
  const Scoring& scoring;
  const SimilarRules& rules;
  const Kernels& kernels;

  /// The maximum number of columns of a path to a region of a query of this length; -1: unbounded.
  std::int64_t overlap(std::size_t length) const {
    const auto columns = static_cast<std::int64_t>(length);
    const std::int64_t maximum =
        std::int64_t{std::max(0, scoring.highest())} * columns - scoring.gap_open() - rules.minimum_score;
    if (maximum < 0) return columns;
    return scoring.gap_extend() > 0 ? columns + maximum / scoring.gap_extend() : -1;
  }
  /// U(0,y) of the filter, which is used if this value fits a byte.
  std::int64_t allowance(std::size_t length) const {
    return std::int64_t{scoring.highest()} * static_cast<std::int64_t>(length) - rules.minimum_score + 1;
  }
  bool fits_filter(std::size_t length) const {
    return scoring.highest() > 0 && allowance(length) <= 255 && overlap(length) >= 0;
  }
};

/// Up to sixteen queries of similar lengths with the complete recurrence.
class WholeBatch {
 public:
  WholeBatch(const Search& search, std::span<const std::size_t> chosen)
      : search_(search), queries_(chosen.begin(), chosen.end()), lengths_(lanes, 0) {
    for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
      const Codes query = search.queries[chosen[lane]];
      lengths_[lane] = static_cast<std::int32_t>(query.size());
      rows_ = std::max(rows_, query.size());
    }
    codes_.assign(rows_ * lanes, 0);
    for (std::size_t lane = 0; lane < chosen.size(); ++lane)
      for (std::size_t x = 0; x < search.queries[chosen[lane]].size(); ++x)
        codes_[x * lanes + lane] = search.queries[chosen[lane]][x];
    const auto symbols = static_cast<std::size_t>(search.scoring.symbols());
    if (symbols * codes_.size() * sizeof(std::int32_t) <= max_profile_bytes) {
      profile_ = core::HostBuffer<std::int32_t>(symbols * codes_.size());
      for (std::size_t s = 0; s < symbols; ++s)
        for (std::size_t k = 0; k < codes_.size(); ++k)
          profile_[s * codes_.size() + k] = search.scoring.score(codes_[k], static_cast<int>(s));
    }
    overlap_ = search.overlap(rows_);
  }
  const std::vector<std::size_t>& queries() const { return queries_; }
  std::int64_t overlap() const { return overlap_; }

  /// Adds the regions that end in columns owned … last - 1.
  void find(std::int64_t owned, std::int64_t last, std::vector<RegionList>& regions) const {
    struct Found {
      std::int64_t first;
      const WholeBatch& batch;
      std::vector<RegionList>& regions;
    };
    Found found{overlap_ < 0 ? 0 : std::max<std::int64_t>(0, owned - overlap_), *this, regions};
    core::HostBuffer<std::int32_t> workspace(4 * (rows_ + 1) * lanes);
    search_.kernels.similar(
        {.main = search_.main.data(),
         .first = found.first,
         .last = last,
         .owned = owned,
         .rows = rows_,
         .lengths = lengths_.data(),
         .profile = profile_.size() > 0 ? profile_.data() : nullptr,
         .queries = codes_.data(),
         .scores = search_.scoring.scores().data(),
         .symbols = search_.scoring.symbols(),
         .gap_open = search_.scoring.gap_open(),
         .gap_extend = search_.scoring.gap_extend(),
         .minimum_score = search_.rules.minimum_score,
         .workspace = workspace.data(),
         .found =
             [](void* context, int lane, std::int64_t column, std::int32_t score, std::int32_t begin) {
               const auto& f = *static_cast<Found*>(context);
               const auto l = static_cast<std::size_t>(lane);
               const SimilarRegion region{score, f.first + begin + 1, column + 1};
               const auto span = static_cast<double>(region.end - region.begin + 1);
               if (span <= f.batch.search_.rules.span_factor * f.batch.lengths_[l]) f.regions[l].add(region);
             },
         .context = &found});
  }

 private:
  static constexpr auto lanes = static_cast<std::size_t>(wide_lanes);
  const Search& search_;
  std::vector<std::size_t> queries_;
  std::vector<std::int32_t> lengths_;
  std::vector<std::uint8_t> codes_;
  core::HostBuffer<std::int32_t> profile_;
  std::size_t rows_ = 0;
  std::int64_t overlap_ = 0;
};

/// As many queries as a vector has bytes, with the filter first.
class FilterGroup {
 public:
  FilterGroup(const Search& search, std::span<const std::size_t> chosen)
      : search_(search), kernel_(search.kernels.filter8), queries_(chosen.begin(), chosen.end()) {
    const Scoring& scoring = search.scoring;
    const auto lanes = static_cast<std::size_t>(kernel_.lanes), symbols = static_cast<std::size_t>(scoring.symbols());
    for (const std::size_t q : chosen) rows_ = std::max(rows_, search.queries[q].size());
    overlap_ = search.overlap(rows_);
    losses_ = core::HostBuffer<std::uint8_t>(symbols * rows_ * lanes);
    initial_ = core::HostBuffer<std::uint8_t>((rows_ + 1) * lanes);
    std::fill(losses_.begin(), losses_.end(), 0);
    std::fill(initial_.begin(), initial_.end(), 0);
    for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
      const Codes query = search.queries[chosen[lane]];
      const std::size_t before = rows_ - query.size();  // rows above the query, which cost nothing
      for (std::size_t s = 0; s < symbols; ++s)
        for (std::size_t x = 0; x < query.size(); ++x)
          losses_[(s * rows_ + before + x) * lanes + lane] =
              byte(scoring.highest() - scoring.score(query[x], static_cast<int>(s)));
      const std::int64_t allowance = search.allowance(query.size());
      for (std::size_t x = 0; x <= rows_; ++x) {
        const auto skipped = static_cast<std::int64_t>(x) - static_cast<std::int64_t>(before);
        const std::int64_t lost =
            skipped > 0 ? scoring.gap_open() + skipped * (scoring.gap_extend() + scoring.highest()) : 0;
        initial_[x * lanes + lane] = byte(allowance - lost);
      }
      // A single query, for the regions that the filter finds.
      singles_.emplace_back(search, chosen.subspan(lane, 1));
    }
  }
  const std::vector<std::size_t>& queries() const { return queries_; }
  std::int64_t overlap() const { return overlap_; }

  void find(std::int64_t owned, std::int64_t last, std::vector<RegionList>& regions) const {
    const Scoring& scoring = search_.scoring;
    const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
    core::HostBuffer<std::uint8_t> workspace(2 * (rows_ + 1) * static_cast<std::size_t>(kernel_.lanes));
    Found found(*this, regions);
    kernel_.filter({.main = search_.main.data(),
                    .first = std::max<std::int64_t>(0, owned - overlap_),
                    .last = last,
                    .owned = owned,
                    .rows = rows_,
                    .losses = losses_.data(),
                    .initial = initial_.data(),
                    .e_first = byte(open + extend),
                    .e_next = byte(extend),
                    .f_first = byte(open + extend + scoring.highest()),
                    .f_next = byte(extend + scoring.highest()),
                    .workspace = workspace.data(),
                    .found = [](void* context, std::int64_t column,
                                const std::uint8_t* u) { static_cast<Found*>(context)->at(column, u); },
                    .context = &found});
    for (std::size_t lane = 0; lane < queries_.size(); ++lane) found.close(lane);
  }

 private:
  static std::uint8_t byte(std::int64_t value) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
  }

  /// Neighbouring columns are processed together.
  struct Found {
    struct Run {
      std::int64_t first = 0, last = -1;  // columns; none if last < first
    };
    const FilterGroup& group;
    std::vector<RegionList>& regions;
    std::vector<Run> runs;
    std::vector<RegionList> one;

    Found(const FilterGroup& g, std::vector<RegionList>& p)
        : group(g), regions(p), runs(p.size()), one(1, RegionList(g.search_.rules)) {}
    void at(std::int64_t column, const std::uint8_t* u) {
      for (std::size_t lane = 0; lane < runs.size(); ++lane) {
        if (u[lane] == 0 || u[lane] + group.search_.rules.minimum_score - 1 < regions[lane].min_score()) continue;
        Run& run = runs[lane];
        if (run.last >= run.first && column - run.last > group.singles_[lane].overlap() / 2) close(lane);
        if (run.last < run.first) run.first = column;
        run.last = column;
      }
    }
    void close(std::size_t lane) {
      Run& run = runs[lane];
      if (run.last < run.first) return;
      one[0] = RegionList(group.search_.rules);
      group.singles_[lane].find(run.first, run.last + 1, one);
      regions[lane].add(one[0]);
      run = {};
    }
  };

  const Search& search_;
  FilterKernel kernel_;
  std::vector<std::size_t> queries_;
  core::HostBuffer<std::uint8_t> losses_, initial_;
  std::deque<WholeBatch> singles_;
  std::size_t rows_ = 0;
  std::int64_t overlap_ = 0;
};

/// The chunks of main for one batch, distributed over all threads.
template <class Batch>
void find_all(const Search& search, const Batch& batch, std::vector<RegionList>& regions, int threads) {
  const auto n = static_cast<std::int64_t>(search.main.size());
  // A begin is stored in 32 bits relative to the chunk's first column.
  constexpr std::int64_t max_columns = std::int64_t{1} << 29;
  if ((batch.overlap() < 0 || batch.overlap() >= max_columns) && n > max_columns)
    throw std::invalid_argument("regions in a sequence of " + std::to_string(n) +
                                " symbols with gaps of which no bound below 2^29 is known");
  const std::int64_t chunk = batch.overlap() < 0 ? std::max<std::int64_t>(n, 1)
                                                 : std::clamp<std::int64_t>(16 * batch.overlap(), 32768, max_columns);
  for_each_item((n + chunk - 1) / chunk, threads, [&](std::int64_t k) {
    std::vector<RegionList> found(batch.queries().size(), RegionList(search.rules));
    batch.find(k * chunk, std::min(n, (k + 1) * chunk), found);
#pragma omp critical(speedwell_ssca1_regions)
    for (std::size_t lane = 0; lane < found.size(); ++lane) regions[batch.queries()[lane]].add(found[lane]);
  });
}

void require_valid(const Search& search) {
  if (search.rules.separation < 0 || !(search.rules.span_factor >= 0))
    throw std::invalid_argument("a negative separation or span of regions");
  const auto lowest =
      std::max({-std::int64_t{search.scoring.lowest()}, std::int64_t{search.scoring.gap_extend()}, std::int64_t{1}});
  require_exact(search.scoring, search.main, {});
  for (const Codes query : search.queries) {
    // main's symbols have been checked: of them only as many are needed as decide about the scores.
    require_exact(search.scoring, search.main.first(std::min(search.main.size(), query.size())), query);
    // The score of a path with a whole query may be far below zero.
    if (query.size() + 2 > static_cast<std::size_t>((std::int64_t{1} << 28) / lowest))
      throw std::invalid_argument("a query of " + std::to_string(query.size()) + " symbols with costs of " +
                                  std::to_string(lowest) + ": a score could pass -2^29");
  }
}

}  // namespace

std::vector<std::vector<SimilarRegion>> locate_similar(Codes main, std::span<const Codes> queries,
                                                       const Scoring& scoring, const SimilarRules& rules,
                                                       const Options& options) {
  const Search search{main, queries, scoring, rules, kernels(options.isa)};
  require_valid(search);
  // Queries are grouped by similar lengths; an empty query has no regions.
  std::vector<std::size_t> order;
  for (std::size_t q = 0; q < queries.size(); ++q)
    if (!queries[q].empty()) order.push_back(q);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return queries[a].size() > queries[b].size(); });
  const auto first_short = static_cast<std::size_t>(
      std::find_if(order.begin(), order.end(), [&](std::size_t q) { return search.fits_filter(queries[q].size()); }) -
      order.begin());

  std::vector<RegionList> regions(queries.size(), RegionList(rules));
  const std::span<const std::size_t> all(order), long_ones = all.first(first_short),
                                                 short_ones = all.subspan(first_short);
  for (std::size_t k = 0; k < long_ones.size(); k += wide_lanes)
    find_all(search, WholeBatch(search, long_ones.subspan(k, std::min<std::size_t>(wide_lanes, long_ones.size() - k))),
             regions, options.threads);
  const auto lanes = static_cast<std::size_t>(search.kernels.filter8.lanes);
  for (std::size_t k = 0; k < short_ones.size(); k += lanes)
    find_all(search, FilterGroup(search, short_ones.subspan(k, std::min(lanes, short_ones.size() - k))), regions,
             options.threads);

  std::vector<std::vector<SimilarRegion>> accepted(queries.size());
  for_each_item(static_cast<std::int64_t>(queries.size()), options.threads, [&](std::int64_t q) {
    accepted[static_cast<std::size_t>(q)] = regions[static_cast<std::size_t>(q)].accepted();
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

}  // namespace speedwell::ssca1

// The memory of GpuSimilar and the order of its work: an estimate of the scores that are needed, the filter for queries
// for which it pays, all cells for the others, the selection, and all cells again for queries whose estimate was too
// high.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_errors_plan.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_sample.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_similar_kernels.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_similar_plan.hpp"
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;
using core::PinnedBuffer;

constexpr std::size_t list_capacity = std::size_t{1} << 23;
constexpr std::size_t max_filtered = 65535;  // queries: the maximum extent of a grid's second dimension
/// For shorter mains the filter does not save time.
constexpr std::size_t filtered_columns = std::size_t{1} << 18;
constexpr std::int32_t longest_guessed = 12;
constexpr std::size_t max_match_bytes = std::size_t{1} << 31;
/// Warps of the filter per multiprocessor: a few times the number of resident ones, because queries differ in length.
constexpr int warps_per_multiprocessor = 36;

/// Data that the host writes for every round of a search.
struct Orders {
  Orders() = default;
  explicit Orders(std::size_t queries)
      : device_queries(queries), device_pairs(queries), device_wanted(queries), device_active(queries), host(queries) {}
  static constexpr std::size_t bytes_per_query =
      sizeof(DeviceQuery) + sizeof(QueryPair) + sizeof(ErrorQuery) + sizeof(std::int32_t);
  DeviceBuffer<DeviceQuery> device_queries;
  DeviceBuffer<QueryPair> device_pairs;
  DeviceBuffer<ErrorQuery> device_wanted;
  DeviceBuffer<std::int32_t> device_active;
  struct Host {
    Host() = default;
    explicit Host(std::size_t count) : queries(count), pairs(count), wanted(count), active(count) {}
    PinnedBuffer<DeviceQuery> queries;
    PinnedBuffer<QueryPair> pairs;
    PinnedBuffer<ErrorQuery> wanted;
    PinnedBuffer<std::int32_t> active;
  } host;
};

}  // namespace

class GpuSimilar::Implementation {
 public:
  Implementation(Codes main, std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules,
                 int device)
      : main_(main),
        queries_(queries.begin(), queries.end()),
        scoring_(scoring),
        rules_(rules),
        device_(find_device(device)) {
    require_exact(scoring, main, {});
    locate_similar({}, queries, scoring, rules);  // checks the arguments
    plan_ = plan_similar(queries, scoring, rules, device_.shared_bytes);
    list_ = static_cast<std::size_t>(
        std::min<std::size_t>(list_capacity / std::max<std::size_t>(plan_.queries.size(), 1), main.size()));
    plan_filter();
  }

  void allocate() {
    device_.use();
    const std::size_t queries = plan_.queries.size();
    const std::size_t chosen = queries * rules_.count;
    const std::size_t words = filtering() ? static_cast<std::size_t>(layout_.words()) : 0;
    device_bytes_ = main_.size() + 16 + 2 * plan_.codes.size() +
                    (sizeof(FoundRegion) * list_ + 4 * chunk_list_) * queries +
                    (Orders::bytes_per_query + 16) * queries + sizeof(ChosenRegion) * chosen + 4 * words +
                    4 * scoring_.scores().size() + (std::size_t{8} << 20);
    device_memory().require(device_bytes_, "the search of " + std::to_string(queries) + " queries");
    main_symbols_ = DeviceBuffer<std::uint8_t>(main_.size() + 16);
    codes_ = DeviceBuffer<std::uint8_t>(plan_.codes.size());
    scores_ = DeviceBuffer<std::int32_t>(scoring_.scores().size());
    orders_ = Orders(queries);
    found_ = DeviceBuffer<FoundRegion>(list_ * queries);
    counts_ = DeviceBuffer<std::uint32_t>(2 * queries);
    chosen_ = DeviceBuffer<ChosenRegion>(chosen);
    chosen_counts_ = DeviceBuffer<std::int32_t>(queries);
    host_chosen_ = PinnedBuffer<ChosenRegion>(chosen);
    host_counts_ = PinnedBuffer<std::int32_t>(queries);
    guess_.emplace();
    for (const DeviceQuery& query : plan_.queries)
      allow_shared_bytes(rows_for(static_cast<std::size_t>(query.length)), scoring_.symbols());
    if (!filtering()) return;
    matches_ = DeviceBuffer<std::uint32_t>(words);
    masks_ = DeviceBuffer<std::uint32_t>(classes_->masks.size());
    row_classes_ = DeviceBuffer<std::uint8_t>(plan_.codes.size());
    chunks_ = DeviceBuffer<std::uint32_t>(chunk_list_ * queries);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    core::fill_bytes_async(main_symbols_, 0, stream);
    core::copy_async(main_symbols_.data(), main_.data(), main_.size(), stream);
    core::copy_async(codes_.data(), plan_.codes.data(), plan_.codes.size(), stream);
    core::copy_async(scores_.data(), scoring_.scores().data(), scores_.size(), stream);
    core::fill_bytes_async(chosen_, 0, stream);  // it is copied as a whole, and there may be fewer regions
    core::fill_bytes_async(chosen_counts_, 0, stream);
    std::vector<std::uint8_t> row_classes;
    if (filtering()) {
      for (const std::uint8_t code : plan_.codes) row_classes.push_back(classes_->class_of[code]);
      core::copy_async(masks_.data(), classes_->masks.data(), masks_.size(), stream);
      core::copy_async(row_classes_.data(), row_classes.data(), row_classes.size(), stream);
    }
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    regions_.resize(queries_.size());
    for (std::vector<SimilarRegion>& regions : regions_) regions.clear();
    std::vector<std::size_t> left = plan_.on_host;
    if (!plan_.queries.empty() && !main_.empty()) {
      now_ = plan_.queries;
      std::vector<std::int32_t> active(plan_.queries.size());
      std::iota(active.begin(), active.end(), 0);
      guess(stream);
      search(active, filtering(), stream);
      take(active);
      // Queries that need more regions than have the estimated score, or whose lists were too short.
      for (const std::int32_t q : active) now_[index(q)] = plan_.queries[index(q)];
      if (!active.empty()) {
        search(active, false, stream);
        take(active);
      }
      for (const std::int32_t q : active) left.push_back(plan_.numbers[index(q)]);
    }
    on_host_ = left.size();
    if (left.empty()) return;
    std::vector<Codes> queries;
    for (const std::size_t number : left) queries.push_back(queries_[number]);
    std::vector<std::vector<SimilarRegion>> found = locate_similar(main_, queries, scoring_, rules_);
    for (std::size_t k = 0; k < left.size(); ++k) regions_[left[k]] = std::move(found[k]);
  }

  const std::vector<std::vector<SimilarRegion>>& regions() const { return regions_; }
  std::size_t on_host() const { return on_host_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  static std::size_t index(std::int32_t query) { return static_cast<std::size_t>(query); }
  bool filtering() const { return classes_.has_value(); }

  void plan_filter() {
    costs_ = error_costs(scoring_);
    if (main_.size() < filtered_columns || plan_.queries.empty() || costs_.unit == 0 ||
        plan_.queries.size() > max_filtered)
      return;
    classes_ = match_classes(scoring_, plan_.codes);
    if (!classes_) return;
    for (const std::size_t number : plan_.numbers) match_shares_.push_back(match_share(scoring_, queries_[number]));
    layout_ = match_layout(std::ssize(main_), classes_->count, plan_.queries,
                           std::int64_t{warps_per_multiprocessor} * device_.multiprocessors);
    if (4 * static_cast<std::size_t>(layout_.words()) > max_match_bytes) classes_.reset();
    if (filtering())
      chunk_list_ = static_cast<std::size_t>(chunk_share / chunk_columns * static_cast<double>(main_.size()));
  }

  RegionSearch region_search() {
    return {.main = main_symbols_.data(),
            .columns = std::ssize(main_),
            .codes = codes_.data(),
            .queries = orders_.device_queries.data(),
            .scores = scores_.data(),
            .symbols = scoring_.symbols(),
            .gap_open = scoring_.gap_open(),
            .gap_extend = scoring_.gap_extend(),
            .found = found_.data(),
            .counts = counts_.data(),
            .capacity = static_cast<std::uint32_t>(list_)};
  }

  /// Computes the scores of now_ from a sample of main. Long queries have few regions with any score, so that they gain
  /// little. The filter's tables are built while the host waits for the sample.
  void guess(const core::Stream& stream) {
    std::vector<std::int32_t> guessed;
    for (std::int32_t q = 0; index(q) < now_.size(); ++q)
      if (now_[index(q)].length <= longest_guessed) guessed.push_back(q);
    if (guessed.empty() || std::ssize(main_) < sampled_columns) return write_matches(stream);
    RegionSearch search = region_search();
    search.columns /= sample_share;
    copy_queries(stream);
    core::fill_bytes_async(counts_, 0, stream);
    sweep(search, guessed, stream);
    guess_scores(search, now_.size(), sample_regions(static_cast<std::int64_t>(rules_.count)), chosen_counts_.data(),
                 stream);
    core::copy_async(host_counts_.data(), chosen_counts_.data(), chosen_counts_.size(), stream);
    guess_->record(stream);
    write_matches(stream);
    guess_->synchronize();
    for (const std::int32_t q : guessed) {
      DeviceQuery& query = now_[index(q)];
      query = device_query(static_cast<std::size_t>(query.offset), static_cast<std::size_t>(query.length), scoring_,
                           rules_, host_counts_.data()[q]);
    }
  }

  void write_matches(const core::Stream& stream) {
    if (!filtering()) return;
    ssca1::write_matches(layout_, main_symbols_.data(), masks_.data(), scoring_.symbols(), matches_.data(), stream);
  }

  void copy_queries(const core::Stream& stream) {
    std::copy(now_.begin(), now_.end(), orders_.host.queries.data());
    core::copy_async(orders_.device_queries.data(), orders_.host.queries.data(), now_.size(), stream);
  }

  /// Computes all cells of some queries.
  void sweep(const RegionSearch& search, const std::vector<std::int32_t>& queries, const core::Stream& stream) {
    const Pairing pairing = pair_up(now_, queries);
    std::copy(pairing.pairs.begin(), pairing.pairs.end(), orders_.host.pairs.data());
    core::copy_async(orders_.device_pairs.data(), orders_.host.pairs.data(), pairing.pairs.size(), stream);
    for (const Pairing::Group& group : pairing.groups)
      sweep_pairs(group.rows, search, orders_.device_pairs.data() + group.first, group.count,
                  region_section(search.columns, group, std::int64_t{1024} * device_.multiprocessors), stream);
  }

  /// Computes the cells of some queries that the filter does not exclude.
  void filter(const RegionSearch& search, const std::vector<ErrorQuery>& wanted, const core::Stream& stream) {
    if (wanted.empty()) return;
    std::copy(wanted.begin(), wanted.end(), orders_.host.wanted.data());
    core::copy_async(orders_.device_wanted.data(), orders_.host.wanted.data(), wanted.size(), stream);
    const ErrorSearch errors{.layout = layout_,
                             .matches = matches_.data(),
                             .classes = row_classes_.data(),
                             .chunks = chunks_.data(),
                             .chunk_counts = counts_.data() + plan_.queries.size(),
                             .capacity = static_cast<std::uint32_t>(chunk_list_)};
    filter_chunks(search, errors, orders_.device_wanted.data(), wanted.size(), stream);
    const auto longest = static_cast<std::size_t>(now_[index(wanted[0].query)].length);
    sweep_chunks(rows_for(longest), search, errors, orders_.device_wanted.data(), wanted.size(), stream);
  }

  /// Selects the regions of some queries.
  void search(const std::vector<std::int32_t>& active, bool may_filter, const core::Stream& stream) {
    const RegionSearch search = region_search();
    std::vector<std::int32_t> swept;
    std::vector<ErrorQuery> wanted;
    for (const std::int32_t q : active) {
      const DeviceQuery& query = now_[index(q)];
      const AllowedErrors errors =
          may_filter ? allowed_errors(costs_, query.length, query.minimum - query.bias) : AllowedErrors{};
      if (may_filter && worth_filtering(query, errors, match_shares_[index(q)]))
        wanted.push_back({q, errors});
      else
        swept.push_back(q);
    }
    copy_queries(stream);
    core::fill_bytes_async(counts_, 0, stream);
    filter(search, wanted, stream);
    sweep(search, swept, stream);
    std::copy(active.begin(), active.end(), orders_.host.active.data());
    core::copy_async(orders_.device_active.data(), orders_.host.active.data(), active.size(), stream);
    const RegionChoice choice{.separation = rules_.separation,
                              .count = static_cast<std::int32_t>(rules_.count),
                              .chosen = chosen_.data(),
                              .chosen_counts = chosen_counts_.data()};
    choose(search, choice, orders_.device_active.data(), active.size(), stream);
    core::copy_async(host_chosen_.data(), chosen_.data(), chosen_.size(), stream);
    core::copy_async(host_counts_.data(), chosen_counts_.data(), chosen_counts_.size(), stream);
    stream.synchronize();
  }

  /// Copies the regions of finished queries; the others stay in `active`. Fewer regions than requested are complete
  /// only if none with the minimum score was excluded.
  void take(std::vector<std::int32_t>& active) {
    std::erase_if(active, [&](std::int32_t q) {
      const DeviceQuery& query = now_[index(q)];
      const std::int32_t count = host_counts_.data()[q];
      const bool all = query.minimum - query.bias <= rules_.minimum_score;
      if (count < 0 || (!all && count < static_cast<std::int32_t>(rules_.count))) return false;
      const ChosenRegion* const chosen = host_chosen_.data() + index(q) * rules_.count;
      std::vector<SimilarRegion>& regions = regions_[plan_.numbers[index(q)]];
      regions.reserve(static_cast<std::size_t>(count));
      for (std::int32_t k = 0; k < count; ++k) regions.push_back(to_region(query, chosen[k]));
      return true;
    });
  }

  Codes main_;
  std::vector<Codes> queries_;
  const Scoring scoring_;
  SimilarRules rules_;
  DeviceLimits device_;
  SimilarPlan plan_;
  ErrorCosts costs_;
  std::optional<MatchClasses> classes_;  // none without a filter
  std::vector<double> match_shares_;     // per query of plan_
  MatchLayout layout_;
  std::size_t list_ = 0, chunk_list_ = 0, device_bytes_ = 0, on_host_ = 0;
  std::vector<DeviceQuery> now_;  // plan_.queries with the current minimum scores
  std::vector<std::vector<SimilarRegion>> regions_;
  DeviceBuffer<std::uint8_t> main_symbols_, codes_, row_classes_;
  DeviceBuffer<std::int32_t> scores_, chosen_counts_;
  DeviceBuffer<std::uint32_t> counts_, chunks_, masks_, matches_;  // counts_: of regions, then of chunks
  Orders orders_;
  DeviceBuffer<FoundRegion> found_;
  DeviceBuffer<ChosenRegion> chosen_;
  PinnedBuffer<ChosenRegion> host_chosen_;
  PinnedBuffer<std::int32_t> host_counts_;
  std::optional<core::Event> guess_;  // recorded after the sample
};

GpuSimilar::GpuSimilar(Codes main, std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules,
                       int device)
    : implementation_(std::make_unique<Implementation>(main, queries, scoring, rules, device)) {
  implementation_->allocate();
}
GpuSimilar::GpuSimilar(GpuSimilar&&) noexcept = default;
GpuSimilar& GpuSimilar::operator=(GpuSimilar&&) noexcept = default;
GpuSimilar::~GpuSimilar() = default;

void GpuSimilar::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuSimilar::run(const core::Stream& stream) { implementation_->run(stream); }
const std::vector<std::vector<SimilarRegion>>& GpuSimilar::regions() const { return implementation_->regions(); }
std::size_t GpuSimilar::on_host() const { return implementation_->on_host(); }
std::size_t GpuSimilar::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::ssca1

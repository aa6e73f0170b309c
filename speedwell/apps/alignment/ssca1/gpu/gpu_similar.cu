// GpuSimilar's kernels and memory.
//
// What bounds it: five instructions for two cells, three of them integer, as in the search (gpu/search_kernels.cu); a
// hundred queries of a dozen symbols are as many cells as kernel 1 has with a match of 1024.
#include <algorithm>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/alignment/ssca1/gpu/gpu_similar_plan.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_similar.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr int sweep_threads = 256;
constexpr int choice_threads = 128;
constexpr std::size_t list_capacity = std::size_t{1} << 23;

/// A thread for each section, a row of blocks for each pair.
template <int R>
__global__ void __launch_bounds__(sweep_threads)
    sweep_kernel(PlaceSearch search, const QueryPair* pairs, std::int64_t section) {
  extern __shared__ __align__(128) char table[];
  const QueryPair pair = pairs[blockIdx.y];
  build_pair_table<R>(table, search, pair, static_cast<int>(threadIdx.x), sweep_threads);
  __syncthreads();
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * sweep_threads + threadIdx.x) * section;
  if (first >= search.columns) return;
  const std::int64_t last = first + section < search.columns ? first + section : search.columns;
  find_in_section<R>(search, pair, first, last, table + threadIdx.x % 8 * 16);
}

__global__ void __launch_bounds__(choice_threads) choice_kernel(PlaceSearch search, PlaceChoice choice) {
  extern __shared__ __align__(16) char memory[];
  choose_places(DeviceBlock{}, search, choice, static_cast<std::int32_t>(blockIdx.x),
                *reinterpret_cast<ChoiceMemory*>(memory));
}

using SweepKernel = void (*)(PlaceSearch, const QueryPair*, std::int64_t);
SweepKernel sweep_kernel_of(int rows) {
  switch (rows) {
    case 8:
      return sweep_kernel<8>;
    case 12:
      return sweep_kernel<12>;
    case 16:
      return sweep_kernel<16>;
    case 20:
      return sweep_kernel<20>;
    case 24:
      return sweep_kernel<24>;
    case 32:
      return sweep_kernel<32>;
    default:
      return sweep_kernel<64>;
  }
}

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
    find_similar({}, queries, scoring, rules);  // refuses what it refuses
    plan_ = plan_similar(queries, scoring, rules, device_.shared_bytes);
    list_ = static_cast<std::size_t>(
        std::min<std::size_t>(list_capacity / std::max<std::size_t>(plan_.queries.size(), 1), main.size()));
  }

  void allocate() {
    device_.use();
    const std::size_t queries = plan_.queries.size();
    const std::size_t chosen = queries * rules_.count;
    device_bytes_ = main_.size() + 16 + plan_.codes.size() + sizeof(FoundPlace) * list_ * queries +
                    (sizeof(DeviceQuery) + sizeof(QueryPair) + 8) * queries + sizeof(ChosenPlace) * chosen +
                    4 * scoring_.scores().size() + (std::size_t{4} << 20);
    device_memory().require(device_bytes_, "the search of " + std::to_string(queries) + " queries");
    main_symbols_ = DeviceBuffer<std::uint8_t>(main_.size() + 16);
    codes_ = DeviceBuffer<std::uint8_t>(plan_.codes.size());
    device_queries_ = DeviceBuffer<DeviceQuery>(queries);
    pairs_ = DeviceBuffer<QueryPair>(plan_.pairs.size());
    scores_ = DeviceBuffer<std::int32_t>(scoring_.scores().size());
    found_ = DeviceBuffer<FoundPlace>(list_ * queries);
    counts_ = DeviceBuffer<std::uint32_t>(queries);
    chosen_ = DeviceBuffer<ChosenPlace>(chosen);
    chosen_counts_ = DeviceBuffer<std::int32_t>(queries);
    host_chosen_ = core::PinnedBuffer<ChosenPlace>(chosen);
    host_counts_ = core::PinnedBuffer<std::int32_t>(queries);
    // A block may have more than 48 KiB only after this.
    for (const SimilarPlan::Group& group : plan_.groups)
      core::check(cudaFuncSetAttribute(sweep_kernel_of(group.rows), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       pair_table_bytes(group.rows, scoring_.symbols())));
    core::check(cudaFuncSetAttribute(choice_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(sizeof(ChoiceMemory))));
  }

  void upload(const core::Stream& stream) {
    device_.use();
    core::fill_bytes_async(main_symbols_, 0, stream);
    core::copy_async(main_symbols_.data(), main_.data(), main_.size(), stream);
    core::copy_async(codes_.data(), plan_.codes.data(), plan_.codes.size(), stream);
    core::copy_async(device_queries_.data(), plan_.queries.data(), plan_.queries.size(), stream);
    core::copy_async(pairs_.data(), plan_.pairs.data(), plan_.pairs.size(), stream);
    core::copy_async(scores_.data(), scoring_.scores().data(), scores_.size(), stream);
    core::fill_bytes_async(chosen_, 0, stream);  // is copied whole, and there may be fewer places
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    places_.assign(queries_.size(), {});
    std::vector<std::size_t> left = plan_.on_host;
    if (!plan_.queries.empty() && !main_.empty()) {
      search(stream);
      for (std::size_t q = 0; q < plan_.queries.size(); ++q) {
        const std::int32_t count = host_counts_.data()[q];
        if (count < 0) {
          left.push_back(plan_.numbers[q]);
          continue;
        }
        const ChosenPlace* const chosen = host_chosen_.data() + q * rules_.count;
        std::vector<Place>& places = places_[plan_.numbers[q]];
        places.reserve(static_cast<std::size_t>(count));
        for (std::int32_t k = 0; k < count; ++k) places.push_back(to_place(plan_.queries[q], chosen[k]));
      }
    }
    on_host_ = left.size();
    if (left.empty()) return;
    std::vector<Codes> queries;
    for (const std::size_t number : left) queries.push_back(queries_[number]);
    std::vector<std::vector<Place>> found = find_similar(main_, queries, scoring_, rules_);
    for (std::size_t k = 0; k < left.size(); ++k) places_[left[k]] = std::move(found[k]);
  }

  const std::vector<std::vector<Place>>& places() const { return places_; }
  std::size_t on_host() const { return on_host_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  void search(const core::Stream& stream) {
    const PlaceSearch search{.main = main_symbols_.data(),
                             .columns = static_cast<std::int64_t>(main_.size()),
                             .codes = codes_.data(),
                             .queries = device_queries_.data(),
                             .scores = scores_.data(),
                             .symbols = scoring_.symbols(),
                             .gap_open = scoring_.gap_open(),
                             .gap_extend = scoring_.gap_extend(),
                             .found = found_.data(),
                             .counts = counts_.data(),
                             .capacity = static_cast<std::uint32_t>(list_)};
    core::fill_bytes_async(counts_, 0, stream);
    for (const SimilarPlan::Group& group : plan_.groups) {
      const std::int64_t section = place_section(search.columns, group, std::int64_t{1024} * device_.multiprocessors);
      const std::int64_t sections = (search.columns + section - 1) / section;
      const auto shared = static_cast<std::size_t>(pair_table_bytes(group.rows, scoring_.symbols()));
      constexpr std::size_t most = 65535;  // of a grid's second dimension
      for (std::size_t first = 0; first < group.count; first += most) {
        const dim3 blocks(static_cast<unsigned>(core::blocks_for(sections, sweep_threads)),
                          static_cast<unsigned>(std::min(group.count - first, most)));
        sweep_kernel_of(group.rows)<<<blocks, sweep_threads, shared, stream.get()>>>(
            search, static_cast<const QueryPair*>(pairs_.data()) + group.first + first, section);
        core::check(cudaGetLastError());
      }
    }
    const PlaceChoice choice{.separation = rules_.separation,
                             .count = static_cast<std::int32_t>(rules_.count),
                             .chosen = chosen_.data(),
                             .chosen_counts = chosen_counts_.data()};
    choice_kernel<<<static_cast<unsigned>(plan_.queries.size()), choice_threads, sizeof(ChoiceMemory), stream.get()>>>(
        search, choice);
    core::check(cudaGetLastError());
    core::copy_async(host_chosen_.data(), chosen_.data(), chosen_.size(), stream);
    core::copy_async(host_counts_.data(), chosen_counts_.data(), chosen_counts_.size(), stream);
    stream.synchronize();
  }

  Codes main_;
  std::vector<Codes> queries_;
  const Scoring scoring_;
  SimilarRules rules_;
  DeviceLimits device_;
  SimilarPlan plan_;
  std::size_t list_ = 0, device_bytes_ = 0, on_host_ = 0;
  std::vector<std::vector<Place>> places_;
  DeviceBuffer<std::uint8_t> main_symbols_, codes_;
  DeviceBuffer<DeviceQuery> device_queries_;
  DeviceBuffer<QueryPair> pairs_;
  DeviceBuffer<std::int32_t> scores_, chosen_counts_;
  DeviceBuffer<FoundPlace> found_;
  DeviceBuffer<std::uint32_t> counts_;
  DeviceBuffer<ChosenPlace> chosen_;
  core::PinnedBuffer<ChosenPlace> host_chosen_;
  core::PinnedBuffer<std::int32_t> host_counts_;
};

GpuSimilar::GpuSimilar(Codes main, std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules,
                       int device)
    : implementation_(std::make_unique<Implementation>(main, queries, scoring, rules, device)) {}
GpuSimilar::GpuSimilar(GpuSimilar&&) noexcept = default;
GpuSimilar& GpuSimilar::operator=(GpuSimilar&&) noexcept = default;
GpuSimilar::~GpuSimilar() = default;

void GpuSimilar::allocate() { implementation_->allocate(); }
void GpuSimilar::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuSimilar::run(const core::Stream& stream) { implementation_->run(stream); }
const std::vector<std::vector<Place>>& GpuSimilar::places() const { return implementation_->places(); }
std::size_t GpuSimilar::on_host() const { return implementation_->on_host(); }
std::size_t GpuSimilar::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::alignment::ssca1

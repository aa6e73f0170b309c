// The kernel and memory of GpuStars.
#include <algorithm>
#include <string>

#include "speedwell/apps/ssca1/cpu/parallel.hpp"
#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel5_stars_plan.hpp"
#include "speedwell/apps/ssca1/kernel5_gpu_stars.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr int star_threads = 128;
constexpr std::int64_t max_star_cells = std::int64_t{1} << 30;
constexpr std::int64_t max_star_rows = std::int64_t{1} << 28;

__global__ void __launch_bounds__(star_threads) stars_kernel(const __grid_constant__ StarProblem problem) {
  align_set(DeviceBlock{}, problem, blockIdx.x);
}

}  // namespace

class GpuStars::Implementation {
 public:
  Implementation(std::span<const Members> sets, std::span<const Differences> differences, const DifferenceCosts& costs,
                 int device)
      : sets_(sets),
        differences_(differences),
        costs_(costs),
        device_(find_device(device)),
        plan_(plan_stars(sets, differences, max_star_cells)) {}

  void allocate() {
    device_.use();
    const auto positions = static_cast<std::size_t>(plan_.positions), cells = static_cast<std::size_t>(plan_.cells);
    const auto rows = static_cast<std::size_t>(std::min(plan_.max_rows, max_star_rows));
    const std::size_t members = plan_.members.size(), sets = plan_.sets.size();
    device_bytes_ = plan_.symbols.size() + sizeof(StarMember) * members + (sizeof(StarSet) + sizeof(StarFound)) * sets +
                    4 * plan_.differences.size() + 12 * members + 13 * positions + cells + rows +
                    (std::size_t{8} << 20);
    device_memory().require(device_bytes_, "the alignment of " + std::to_string(sets) + " sets");
    symbols_ = DeviceBuffer<std::uint8_t>(plan_.symbols.size());
    members_ = DeviceBuffer<StarMember>(members);
    device_sets_ = DeviceBuffer<StarSet>(sets);
    device_differences_ = DeviceBuffer<std::int32_t>(plan_.differences.size());
    sums_ = DeviceBuffer<std::int64_t>(members);
    row_costs_ = DeviceBuffer<std::int32_t>(positions);
    before_ = DeviceBuffer<std::int32_t>(positions);
    widths_ = DeviceBuffer<std::int32_t>(positions);
    under_ = DeviceBuffer<std::uint8_t>(positions);
    directions_ = DeviceBuffer<std::uint8_t>(cells);
    order_ = DeviceBuffer<std::int32_t>(members);
    found_ = DeviceBuffer<StarFound>(sets);
    rows_ = DeviceBuffer<std::uint8_t>(rows);
    rows_used_ = DeviceBuffer<unsigned long long>(1);
    host_order_ = core::PinnedBuffer<std::int32_t>(members);
    host_found_ = core::PinnedBuffer<StarFound>(sets);
    host_used_ = core::PinnedBuffer<unsigned long long>(1);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    core::copy_async(symbols_.data(), plan_.symbols.data(), plan_.symbols.size(), stream);
    core::copy_async(members_.data(), plan_.members.data(), plan_.members.size(), stream);
    core::copy_async(device_sets_.data(), plan_.sets.data(), plan_.sets.size(), stream);
    core::copy_async(device_differences_.data(), plan_.differences.data(), plan_.differences.size(), stream);
    // these are copied as a whole, with padding and sets that are computed on the host
    core::fill_bytes_async(found_, 0, stream);
    core::fill_bytes_async(order_, 0, stream);
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    std::vector<std::size_t> left = plan_.on_host;
    if (!plan_.sets.empty()) {
      align(stream);
      for (std::size_t k = 0; k < plan_.sets.size(); ++k)
        if (host_found_.data()[k].first < 0) left.push_back(plan_.numbers[k]);
    }
    host_stars_.assign(sets_.size(), {});
    for_each_item(std::ssize(left), 0, [&](std::int64_t k) {
      const std::size_t s = left[static_cast<std::size_t>(k)];
      host_stars_[s] = align_star(sets_[s], differences_[s], costs_);
    });
    on_host_ = left.size();
  }

  std::vector<StarAlignment> stars() const {
    std::vector<StarAlignment> made = host_stars_;
    for (std::size_t k = 0; k < plan_.sets.size() && !made.empty(); ++k) {
      const StarFound& found = host_found_.data()[k];
      if (found.first < 0) continue;
      made[plan_.numbers[k]] = to_star(found, plan_.sets[k], host_order_.data() + plan_.sets[k].first_member,
                                       host_rows_.data() + found.first);
    }
    return made;
  }
  std::size_t on_host() const { return on_host_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  void align(const core::Stream& stream) {
    const StarProblem problem{.symbols = symbols_.data(),
                              .members = members_.data(),
                              .sets = device_sets_.data(),
                              .differences = device_differences_.data(),
                              .mismatch = costs_.mismatch,
                              .space = costs_.space,
                              .sums = sums_.data(),
                              .costs = row_costs_.data(),
                              .before = before_.data(),
                              .under = under_.data(),
                              .widths = widths_.data(),
                              .directions = directions_.data(),
                              .order = order_.data(),
                              .found = found_.data(),
                              .rows = rows_.data(),
                              .rows_used = rows_used_.data(),
                              .capacity = rows_.size()};
    core::fill_bytes_async(rows_used_, 0, stream);
    stars_kernel<<<static_cast<unsigned>(plan_.sets.size()), star_threads, 0, stream.get()>>>(problem);
    core::check(cudaGetLastError());
    core::copy_async(host_used_.data(), rows_used_.data(), 1, stream);
    core::copy_async(host_found_.data(), found_.data(), found_.size(), stream);
    core::copy_async(host_order_.data(), order_.data(), order_.size(), stream);
    stream.synchronize();
    // The size of the rows is known only now.
    const auto used = static_cast<std::size_t>(std::min<unsigned long long>(*host_used_.data(), rows_.size()));
    if (host_rows_.size() < used) host_rows_ = core::PinnedBuffer<std::uint8_t>(used);
    core::copy_async(host_rows_.data(), rows_.data(), used, stream);
    stream.synchronize();
  }

  std::span<const Members> sets_;
  std::span<const Differences> differences_;
  DifferenceCosts costs_;
  DeviceLimits device_;
  StarsPlan plan_;
  std::vector<StarAlignment> host_stars_;
  std::size_t device_bytes_ = 0, on_host_ = 0;
  DeviceBuffer<std::uint8_t> symbols_, under_, directions_, rows_;
  DeviceBuffer<StarMember> members_;
  DeviceBuffer<StarSet> device_sets_;
  DeviceBuffer<std::int32_t> device_differences_, row_costs_, before_, widths_, order_;
  DeviceBuffer<std::int64_t> sums_;
  DeviceBuffer<StarFound> found_;
  DeviceBuffer<unsigned long long> rows_used_;
  core::PinnedBuffer<std::int32_t> host_order_;
  core::PinnedBuffer<StarFound> host_found_;
  core::PinnedBuffer<unsigned long long> host_used_;
  core::PinnedBuffer<std::uint8_t> host_rows_;
};

GpuStars::GpuStars(std::span<const Members> sets, std::span<const Differences> differences,
                   const DifferenceCosts& costs, int device)
    : implementation_(std::make_unique<Implementation>(sets, differences, costs, device)) {
  implementation_->allocate();
}
GpuStars::GpuStars(GpuStars&&) noexcept = default;
GpuStars& GpuStars::operator=(GpuStars&&) noexcept = default;
GpuStars::~GpuStars() = default;
void GpuStars::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuStars::run(const core::Stream& stream) { implementation_->run(stream); }
std::vector<StarAlignment> GpuStars::stars() const { return implementation_->stars(); }
std::size_t GpuStars::on_host() const { return implementation_->on_host(); }
std::size_t GpuStars::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::ssca1

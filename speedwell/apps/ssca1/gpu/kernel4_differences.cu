// The kernel and memory of GpuDifferences: one block per 256 pairs of one set.
#include <string>

#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel4_differences_plan.hpp"
#include "speedwell/apps/ssca1/kernel4_gpu_differences.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr int block_threads = pairs_per_task / 2;

template <int N>
__global__ void __launch_bounds__(block_threads) differences_kernel(PairCosts costs, const PairTask* tasks) {
  const PairTask task = tasks[blockIdx.x];
  const DeviceSet set = costs.sets[task.set];
  const std::int64_t pairs = std::int64_t{set.members} * (set.members - 1) / 2;
  const std::int64_t first = task.first + 2 * threadIdx.x;
  if (first < pairs) difference_of_pairs<N>(costs, set, first, first + 1 < pairs);
}

using DifferencesKernel = void (*)(PairCosts, const PairTask*);
DifferencesKernel differences_kernel_of(int columns) {
  switch (columns) {
    case 24:
      return differences_kernel<24>;
    case 32:
      return differences_kernel<32>;
    case 48:
      return differences_kernel<48>;
    case 64:
      return differences_kernel<64>;
    default:
      return differences_kernel<96>;
  }
}

}  // namespace

class GpuDifferences::Implementation {
 public:
  Implementation(std::span<const Members> sets, const DifferenceCosts& costs, int device)
      : sets_(sets), costs_(costs), device_(find_device(device)) {
    global_align({}, costs);  // checks the arguments
    plan_ = plan_differences(sets, costs);
    on_host_.resize(sets.size());
    // The arguments of sets that are computed on the host are checked here, too.
    for (const std::size_t s : plan_.on_host) on_host_[s] = global_align(sets.subspan(s, 1), costs)[0];
  }

  void allocate() {
    device_.use();
    const auto pairs = static_cast<std::size_t>(plan_.pairs);
    device_bytes_ = 2 * pairs + 4 * plan_.words.size() + sizeof(DeviceMember) * plan_.members.size() +
                    sizeof(DeviceSet) * plan_.sets.size() + sizeof(PairTask) * plan_.tasks.size() +
                    (std::size_t{4} << 20);
    device_memory().require(device_bytes_, std::to_string(plan_.pairs) + " differences");
    words_ = DeviceBuffer<std::uint32_t>(plan_.words.size());
    members_ = DeviceBuffer<DeviceMember>(plan_.members.size());
    device_sets_ = DeviceBuffer<DeviceSet>(plan_.sets.size());
    tasks_ = DeviceBuffer<PairTask>(plan_.tasks.size());
    differences_ = DeviceBuffer<std::uint16_t>(pairs);
    host_differences_ = core::PinnedBuffer<std::uint16_t>(pairs);
  }

  void upload(const core::Stream& stream) {
    device_.use();
    core::copy_async(words_.data(), plan_.words.data(), plan_.words.size(), stream);
    core::copy_async(members_.data(), plan_.members.data(), plan_.members.size(), stream);
    core::copy_async(device_sets_.data(), plan_.sets.data(), plan_.sets.size(), stream);
    core::copy_async(tasks_.data(), plan_.tasks.data(), plan_.tasks.size(), stream);
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    const PairCosts costs{.words = words_.data(),
                          .members = members_.data(),
                          .sets = device_sets_.data(),
                          .differences = differences_.data(),
                          .mismatch = costs_.mismatch,
                          .space = costs_.space,
                          .shift = symbol_shift(costs_.mismatch)};
    for (const DifferencesPlan::Group& group : plan_.groups) {
      differences_kernel_of(group.columns)<<<static_cast<unsigned>(group.count), block_threads, 0, stream.get()>>>(
          costs, static_cast<const PairTask*>(tasks_.data()) + group.first);
      core::check(cudaGetLastError());
    }
    core::copy_async(host_differences_.data(), differences_.data(), differences_.size(), stream);
    for (const std::size_t s : plan_.on_host) on_host_[s] = global_align(sets_.subspan(s, 1), costs_)[0];
    stream.synchronize();
  }

  std::vector<Differences> differences() const {
    std::vector<Differences> made = on_host_;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      made[s].members = sets_[s].size();
      const DeviceSet& set = plan_.sets[s];
      const std::int64_t k = set.members;
      if (k == 0) continue;
      const std::uint16_t* const first = host_differences_.data() + set.first_pair;
      made[s].upper.assign(first, first + k * (k - 1) / 2);
    }
    return made;
  }
  std::size_t on_host() const { return plan_.on_host.size(); }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  std::span<const Members> sets_;
  DifferenceCosts costs_;
  DeviceLimits device_;
  DifferencesPlan plan_;
  std::vector<Differences> on_host_;
  std::size_t device_bytes_ = 0;
  DeviceBuffer<std::uint32_t> words_;
  DeviceBuffer<DeviceMember> members_;
  DeviceBuffer<DeviceSet> device_sets_;
  DeviceBuffer<PairTask> tasks_;
  DeviceBuffer<std::uint16_t> differences_;
  core::PinnedBuffer<std::uint16_t> host_differences_;
};

GpuDifferences::GpuDifferences(std::span<const Members> sets, const DifferenceCosts& costs, int device)
    : implementation_(std::make_unique<Implementation>(sets, costs, device)) {
  implementation_->allocate();
}
GpuDifferences::GpuDifferences(GpuDifferences&&) noexcept = default;
GpuDifferences& GpuDifferences::operator=(GpuDifferences&&) noexcept = default;
GpuDifferences::~GpuDifferences() = default;
void GpuDifferences::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuDifferences::run(const core::Stream& stream) { implementation_->run(stream); }
std::vector<Differences> GpuDifferences::differences() const { return implementation_->differences(); }
std::size_t GpuDifferences::on_host() const { return implementation_->on_host(); }
std::size_t GpuDifferences::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::ssca1

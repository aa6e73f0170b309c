// The kernel and memory of GpuTraces. Diagonals are in shared memory if they fit.
#include <algorithm>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel2_traces_choice.hpp"
#include "speedwell/apps/ssca1/kernel2_gpu_traces.hpp"

namespace speedwell::ssca1 {
namespace {

using core::DeviceBuffer;

constexpr int trace_threads = 64;
constexpr std::size_t max_shared_values = std::size_t{96} << 10;  // allows two blocks per multiprocessor

/// The memory of all blocks, with a slice for each.
struct TraceSlices {
  std::int32_t* values = nullptr;  // null: in shared memory
  std::uint8_t* cells = nullptr;
  KeptDiagonal* diagonals = nullptr;
};

__global__ void __launch_bounds__(trace_threads)
    trace_kernel(TraceProblem problem, TraceSlices slices, std::int64_t endpoints) {
  extern __shared__ std::int32_t values[];
  __shared__ std::int32_t shared[3];
  const TraceMemory memory{slices.values ? slices.values + blockIdx.x * 7 * problem.ring : values,
                           slices.cells + blockIdx.x * problem.max_cells,
                           slices.diagonals + blockIdx.x * problem.max_diagonals, shared};
  for (std::int64_t endpoint = blockIdx.x; endpoint < endpoints; endpoint += gridDim.x)
    trace_endpoint(DeviceBlock{}, problem, memory, endpoint);
}

}  // namespace

class GpuTraces::Implementation {
 public:
  Implementation(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
                 const TraceRules& rules, int device)
      : main_(main),
        match_(match),
        scoring_(scoring),
        endpoints_(endpoints),
        rules_(rules),
        device_(find_device(device)),
        ring_(diagonal_ring(main.size(), match.size())) {
    require_exact(scoring, main, match);
    scan_backward(main, match, scoring, endpoints, {.count = 0});  // checks the endpoints
    values_bytes_ = 7 * sizeof(std::int32_t) * static_cast<std::size_t>(ring_);
    in_shared_memory_ =
        values_bytes_ <= std::min(max_shared_values, static_cast<std::size_t>(device_.shared_bytes) - 1024);
  }

  void allocate() {
    device_.use();
    const std::size_t count = endpoints_.size();
    const std::size_t slice =
        max_kept_cells + max_kept_diagonals * sizeof(KeptDiagonal) + (in_shared_memory_ ? 0 : values_bytes_);
    const std::size_t shared = main_.size() + match_.size() + 4 * scoring_.scores().size() +
                               count * (sizeof(DeviceEndpoint) + sizeof(TracedStart) + 4 * max_cigar_runs) +
                               (std::size_t{8} << 20);
    const DeviceMemory memory = device_memory();
    // As many concurrent endpoints as fit half of the memory.
    const std::size_t room = memory.available > 2 * shared ? (memory.available / 2 - shared) / slice : 0;
    const std::size_t blocks = std::clamp<std::size_t>(room, 1, std::clamp<std::size_t>(count, 1, 1024));
    device_bytes_ = shared + blocks * slice;
    memory.require(device_bytes_, "the alignments of " + std::to_string(count) + " endpoints");
    blocks_ = static_cast<unsigned>(blocks);
    main_symbols_ = DeviceBuffer<std::uint8_t>(main_.size());
    match_symbols_ = DeviceBuffer<std::uint8_t>(match_.size());
    scores_ = DeviceBuffer<std::int32_t>(scoring_.scores().size());
    device_endpoints_ = DeviceBuffer<DeviceEndpoint>(count);
    starts_ = DeviceBuffer<TracedStart>(count);
    runs_ = DeviceBuffer<std::uint32_t>(count * max_cigar_runs);
    values_ = DeviceBuffer<std::int32_t>(in_shared_memory_ ? 0 : blocks * values_bytes_ / sizeof(std::int32_t));
    cells_ = DeviceBuffer<std::uint8_t>(blocks * max_kept_cells);
    diagonals_ = DeviceBuffer<KeptDiagonal>(blocks * max_kept_diagonals);
    host_starts_ = core::PinnedBuffer<TracedStart>(count);
    host_runs_ = core::PinnedBuffer<std::uint32_t>(count * max_cigar_runs);
    // Required before a block may have more than 48 KiB of shared memory.
    if (in_shared_memory_)
      core::check(cudaFuncSetAttribute(trace_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(values_bytes_)));
  }

  void upload(const core::Stream& stream) {
    device_.use();
    std::vector<DeviceEndpoint> endpoints;
    for (const Endpoint& end : endpoints_) endpoints.push_back({end.main, end.match, end.score});
    core::copy_async(main_symbols_.data(), main_.data(), main_.size(), stream);
    core::copy_async(match_symbols_.data(), match_.data(), match_.size(), stream);
    core::copy_async(scores_.data(), scoring_.scores().data(), scores_.size(), stream);
    core::copy_async(device_endpoints_.data(), endpoints.data(), endpoints.size(), stream);
    core::fill_bytes_async(starts_, 0, stream);  // these are copied as a whole, but not completely written
    core::fill_bytes_async(runs_, 0, stream);
    stream.synchronize();
  }

  void run(const core::Stream& stream) {
    device_.use();
    if (!endpoints_.empty()) {
      const TraceProblem problem{.main = main_symbols_.data(),
                                 .match = match_symbols_.data(),
                                 .scores = scores_.data(),
                                 .symbols = scoring_.symbols(),
                                 .gap_open = scoring_.gap_open(),
                                 .gap_extend = scoring_.gap_extend(),
                                 .endpoints = device_endpoints_.data(),
                                 .starts = starts_.data(),
                                 .runs = runs_.data(),
                                 .max_runs = max_cigar_runs,
                                 .ring = ring_,
                                 .max_cells = max_kept_cells,
                                 .max_diagonals = max_kept_diagonals};
      trace_kernel<<<blocks_, trace_threads, in_shared_memory_ ? values_bytes_ : 0, stream.get()>>>(
          problem, {values_.data(), cells_.data(), diagonals_.data()}, std::ssize(endpoints_));
      core::check(cudaGetLastError());
      core::copy_async(host_starts_.data(), starts_.data(), starts_.size(), stream);
      core::copy_async(host_runs_.data(), runs_.data(), runs_.size(), stream);
      stream.synchronize();
    }
    paths_on_host_ = 0;
    traced_ = choose_alignments(endpoints_, {host_starts_.data(), host_starts_.size()}, rules_, [&](std::size_t k) {
      const std::int32_t runs = host_starts_.data()[k].runs;
      if (runs >= 0) return to_cigar(host_runs_.data() + k * max_cigar_runs, runs);
      ++paths_on_host_;
      return scan_backward(main_, match_, scoring_, endpoints_.subspan(k, 1)).alignments.at(0).cigar;
    });
  }

  const Traced& traced() const { return traced_; }
  std::size_t paths_on_host() const { return paths_on_host_; }
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  Codes main_, match_;
  const Scoring scoring_;
  std::span<const Endpoint> endpoints_;
  TraceRules rules_;
  DeviceLimits device_;
  std::int64_t ring_;
  std::size_t values_bytes_ = 0, device_bytes_ = 0, paths_on_host_ = 0;
  bool in_shared_memory_ = false;
  unsigned blocks_ = 1;
  Traced traced_;
  DeviceBuffer<std::uint8_t> main_symbols_, match_symbols_, cells_;
  DeviceBuffer<std::int32_t> scores_, values_;
  DeviceBuffer<DeviceEndpoint> device_endpoints_;
  DeviceBuffer<TracedStart> starts_;
  DeviceBuffer<std::uint32_t> runs_;
  DeviceBuffer<KeptDiagonal> diagonals_;
  core::PinnedBuffer<TracedStart> host_starts_;
  core::PinnedBuffer<std::uint32_t> host_runs_;
};

GpuTraces::GpuTraces(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
                     const TraceRules& rules, int device)
    : implementation_(std::make_unique<Implementation>(main, match, scoring, endpoints, rules, device)) {
  implementation_->allocate();
}
GpuTraces::GpuTraces(GpuTraces&&) noexcept = default;
GpuTraces& GpuTraces::operator=(GpuTraces&&) noexcept = default;
GpuTraces::~GpuTraces() = default;
void GpuTraces::upload(const core::Stream& stream) { implementation_->upload(stream); }
void GpuTraces::run(const core::Stream& stream) { implementation_->run(stream); }
const Traced& GpuTraces::traced() const { return implementation_->traced(); }
std::size_t GpuTraces::paths_on_host() const { return implementation_->paths_on_host(); }
std::size_t GpuTraces::device_bytes() const { return implementation_->device_bytes(); }

}  // namespace speedwell::ssca1

// Buffers, kernel launches and the transfer of the result for all GPU variants of EP. Included by CUDA sources only.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/ep/gpu/launch.hpp"

namespace speedwell::npb::ep {

class GpuSolver {
 public:
  /// Throws std::invalid_argument as require_valid(), and std::logic_error for a step that ladder.hpp does not have.
  explicit GpuSolver(const Problem& problem, std::string_view step = "cuda") : GpuSolver(problem, function_of(step)) {}
  GpuSolver(const Problem& problem, Launch* function) : function_(function) {
    require_valid(problem);
    operands_.pairs = pairs(problem);
  }

  /// Allocates the buffers on the current device.
  void allocate() {
    int device = 0;
    core::check(cudaGetDevice(&device));
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      core::check(cudaDeviceGetAttribute(&value, which, device));
      return value;
    };
    operands_.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    operands_.shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    table_ = core::DeviceBuffer<Segment>(segment_count);
    partials_ = core::DeviceBuffer<DeviceResult>(
        static_cast<std::size_t>(operands_.multiprocessors * max_blocks_per_multiprocessor));
    on_device_ = core::DeviceBuffer<DeviceResult>(1);
    on_host_ = core::PinnedBuffer<DeviceResult>(1);
    operands_.table = table_.data();
    operands_.partials = partials_.data();
    operands_.result = on_device_.data();
  }
  /// Uploads the constant table of the kernels.
  void upload(const core::Stream& stream) {
    const std::vector<Segment> table = segments();
    core::copy_async(table_.data(), table.data(), table.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) {
    core::fill_bytes_async(partials_, 0xff, stream);
    core::fill_bytes_async(on_device_, 0xff, stream);
    std::memset(on_host_.data(), 0xff, on_host_.bytes());
    stream.synchronize();
  }
  /// Enqueues the timed region of the benchmark, which ends with the result in host memory.
  void run(const core::Stream& stream) {
    function_(operands_, stream);
    core::copy_async(on_host_.data(), on_device_.data(), 1, stream);
  }
  /// The result of the last run; its stream must have been synchronised.
  Result result() const {
    const DeviceResult& r = *on_host_.data();
    Result result{.sum_x = r.sums[0], .sum_y = r.sums[1], .counts = {}};
    for (std::size_t l = 0; l < annuli; ++l) result.counts[l] = static_cast<std::int64_t>(r.counts[l]);
    return result;
  }

 private:
  Launch* function_;
  Operands operands_;
  core::DeviceBuffer<Segment> table_;
  core::DeviceBuffer<DeviceResult> partials_, on_device_;
  core::PinnedBuffer<DeviceResult> on_host_;
};

}  // namespace speedwell::npb::ep

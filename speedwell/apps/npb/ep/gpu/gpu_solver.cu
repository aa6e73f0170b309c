// The memory and the copies of GpuSolver.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ep/gpu/launch.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"

namespace speedwell::npb::ep {

struct GpuSolver::State {
  Launch* function;
  Operands operands;
  core::DeviceBuffer<Segment> table;
  core::DeviceBuffer<DeviceResult> partials, on_device;
  core::PinnedBuffer<DeviceResult> on_host;
};

GpuSolver::GpuSolver(const Problem& problem, std::string_view step) : GpuSolver(problem, function_of(step)) {}
GpuSolver::GpuSolver(const Problem& problem, Launch* function) {
  require_valid(problem);
  state_ = std::make_unique<State>();
  State& s = *state_;
  s.function = function;
  s.operands.pairs = pairs(problem);
  s.operands.multiprocessors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  s.operands.shared_bytes = core::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  s.table = core::DeviceBuffer<Segment>(segment_count);
  s.partials = core::DeviceBuffer<DeviceResult>(
      static_cast<std::size_t>(s.operands.multiprocessors * max_blocks_per_multiprocessor));
  s.on_device = core::DeviceBuffer<DeviceResult>(1);
  s.on_host = core::PinnedBuffer<DeviceResult>(1);
  s.operands.table = s.table.data();
  s.operands.partials = s.partials.data();
  s.operands.result = s.on_device.data();
}
GpuSolver::GpuSolver(const Problem& problem, std::int64_t first, std::int64_t count) : GpuSolver(problem, launch) {
  if (first < 0 || count < 0 || first > pairs(problem) - count)
    throw std::invalid_argument("ep: " + std::to_string(count) + " pairs from pair " + std::to_string(first) +
                                " on, of " + std::to_string(pairs(problem)));
  state_->operands.first = first;
  state_->operands.pairs = count;
}

void GpuSolver::upload(const core::Stream& stream) {
  const std::vector<Segment> table = segments();
  core::copy_async(state_->table.data(), table.data(), state_->table.size(), stream);
  stream.synchronize();
}
void GpuSolver::run(const core::Stream& stream) {
  State& s = *state_;
  s.function(s.operands, stream);
  core::copy_async(s.on_host.data(), s.on_device.data(), s.on_device.size(), stream);
}
Result GpuSolver::result() const {
  const DeviceResult& r = *state_->on_host.data();
  Result result{.sum_x = r.sums[0], .sum_y = r.sums[1], .counts = {}};
  for (std::size_t l = 0; l < annuli; ++l) result.counts[l] = static_cast<std::int64_t>(r.counts[l]);
  return result;
}

std::span<const DeviceResult> GpuSolver::device_result() const { return state_->on_device.span(); }
std::vector<std::span<std::byte>> GpuSolver::device_work() {
  return {std::as_writable_bytes(state_->partials.span()), std::as_writable_bytes(state_->on_device.span())};
}
std::span<DeviceResult> GpuSolver::pinned_result() { return state_->on_host.span(); }

}  // namespace speedwell::npb::ep

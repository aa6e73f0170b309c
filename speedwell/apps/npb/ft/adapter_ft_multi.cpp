// FT on several GPUs for the harness.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::npb::ft {
namespace {

class GpuRanksSolver {
 public:
  GpuRanksSolver(const FtWorkload& workload, const harness::Context& context)
      : problem_(workload.problem), ranks_(*context.ranks) {}

  void allocate() { solver_.emplace(ranks_, problem_); }
  void poison(const core::Stream& stream) {
    for (const std::span<std::byte> bytes : solver_->device_work())
      core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
    std::ranges::fill(std::as_writable_bytes(solver_->pinned_result()), std::byte{0xff});
    stream.synchronize();
  }
  void execute(Checksums& checksums, const core::Stream& stream) { checksums = solver_->run(stream); }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices() const {
    return {{"host_memory", "pinned"},
            {"transport", std::string(to_string(solver_->transport()))},
            {"store_blocks", std::to_string(solver_->store_blocks())}};
  }

 private:
  Problem problem_;
  const comm::Communicator& ranks_;
  std::optional<DistributedGpuSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_bindings() {
  return {{"multi", harness::device_solver<FtWorkload, GpuRanksSolver>()}};
}

}  // namespace speedwell::npb::ft

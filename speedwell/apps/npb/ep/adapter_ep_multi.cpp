// EP on several GPUs for the harness, and the variants of all kernels on several GPUs.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/gpu_distributed.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::npb {
namespace {

class EpRanksSolver {
 public:
  EpRanksSolver(const ep::EpWorkload& workload, const harness::Context& context)
      : problem_(workload.problem), ranks_(*context.ranks) {}

  void allocate() { solver_.emplace(ranks_, problem_); }
  void upload(const core::Stream& stream) { solver_->upload(stream); }
  void poison(const core::Stream& stream) {
    for (const std::span<std::byte> bytes : solver_->local().device_work())
      core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
    std::ranges::fill(std::as_writable_bytes(solver_->local().pinned_result()), std::byte{0xff});
    stream.synchronize();
  }
  void execute(ep::Result& result, const core::Stream& stream) { result = solver_->tally(stream); }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices() const { return {{"host_memory", "pinned"}}; }

 private:
  ep::Problem problem_;
  const comm::Communicator& ranks_;
  std::optional<ep::DistributedGpuSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return bindings_of(
      {{"ep", {{"multi", harness::device_solver<ep::EpWorkload, EpRanksSolver>()}}}, {"ft", ft::multi_bindings()}});
}

}  // namespace speedwell::npb

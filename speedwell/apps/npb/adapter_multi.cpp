// The variants of npb on several GPUs for the harness. Results are in host memory when the computation has ended, as
// the clock of the benchmarks requires.
#include <optional>
#include <string>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/gpu_distributed.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::npb {
namespace {

class EpRanksSolver : public harness::OnRanks<ep::EpWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate() { solver_.emplace(ranks_, workload_.problem); }
  void upload(const core::Stream& stream) { solver_->upload(stream); }
  void poison(const core::Stream& stream) {
    harness::poison_async(solver_->local().device_work(), stream);
    harness::poison_host(solver_->local().pinned_result());
  }
  void execute(ep::Result& result, const core::Stream& stream) { result = solver_->tally(stream); }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices() const { return {{"host_memory", "pinned"}}; }

 private:
  std::optional<ep::DistributedGpuSolver> solver_;
};

class FtRanksSolver : public harness::OnRanks<ft::FtWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate() { solver_.emplace(ranks_, workload_.problem); }
  void poison(const core::Stream& stream) {
    harness::poison_async(solver_->device_work(), stream);
    harness::poison_host(solver_->pinned_result());
  }
  void execute(ft::Checksums& checksums, const core::Stream& stream) { checksums = solver_->run(stream); }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices() const {
    return {{"host_memory", "pinned"},
            {"transport", std::string(to_string(solver_->transport()))},
            {"store_blocks", std::to_string(solver_->store_blocks())}};
  }

 private:
  std::optional<ft::DistributedGpuSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return bindings_of({{"ep", {{"multi", harness::device_solver<ep::EpWorkload, EpRanksSolver>()}}},
                      {"ft", {{"multi", harness::device_solver<ft::FtWorkload, FtRanksSolver>()}}}});
}

}  // namespace speedwell::npb

// uts on several GPUs for the harness. All ranks have the counts in the end.
#include <optional>
#include <string>

#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::uts {
namespace {

class GpusSearch {
 public:
  GpusSearch(const UtsWorkload& workload, const harness::Context& context)
      : tree_(workload.tree()), ranks_(*context.ranks) {}

  void allocate() { solver_.emplace(ranks_, tree_); }
  void upload(const core::Stream& stream) { solver_->upload(stream); }
  void poison(const core::Stream&) { counts_ = poisoned; }
  void execute(const core::Stream& stream) { counts_ = solver_->run(stream); }
  void download(UtsWorkload::Answer& answer, const core::Stream&) { answer = answer_of(counts_); }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices() const {
    return {{"waiting_nodes", std::to_string(static_cast<long long>(solver_->open_node_bytes())) + " bytes"},
            {"warps", std::to_string(solver_->tuning().warps) + " for each multiprocessor"},
            {"rounds", std::to_string(solver_->rounds())}};
  }

 private:
  Tree tree_;
  const comm::Communicator& ranks_;
  std::optional<DistributedGpuSolver> solver_;
  Counts counts_ = poisoned;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<UtsWorkload, GpusSearch>()}}; }

}  // namespace speedwell::uts

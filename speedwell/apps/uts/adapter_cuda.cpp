// The GPU variants of uts for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/apps/uts/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::uts {
namespace {

/// The counts of a search are on the host when it ends: poison() overwrites them there.
class DeviceSearch {
 public:
  DeviceSearch(const UtsWorkload& workload, const harness::Context&, Method method)
      : tree_(workload.tree()), rule_(tree_), method_(method) {}

  void allocate() { solver_.emplace(tree_, method_, best_tuning(tree_), rule_); }
  void upload(const core::Stream& stream) { solver_->upload(stream); }
  void poison(const core::Stream&) { counts_ = poisoned; }
  void execute(const core::Stream& stream) { counts_ = solver_->run(stream); }
  void download(UtsWorkload::Answer& answer, const core::Stream&) { answer = answer_of(counts_); }
  harness::Choices choices() const {
    const auto bytes = static_cast<long long>(solver_->open_node_bytes());
    harness::Choices all = {{"waiting_nodes", std::to_string(bytes) + " bytes"}};
    if (method_ == Method::depth_first)
      all.push_back({"warps", std::to_string(solver_->tuning().warps) + " for each multiprocessor"});
    return all;
  }

 private:
  Tree tree_;
  ChildRule rule_;
  Method method_;
  std::optional<GpuSolver> solver_;
  Counts counts_ = poisoned;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(
      steps, [](const Step& step) { return harness::device_solver<UtsWorkload, DeviceSearch>(step.method); });
}

}  // namespace speedwell::uts

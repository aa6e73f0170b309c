// The GPU variants of uts for the harness.
#include <string>

#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::uts {
namespace {

class DeviceSearch : public GpuSolver {
 public:
  DeviceSearch(const UtsWorkload& workload, const harness::Context&, Method method)
      : GpuSolver(workload.tree(), method, best_tuning(workload.tree())) {}

  void poison(const core::Stream&) { forget(); }
  void execute(const core::Stream& stream) { run(stream); }
  void download(UtsWorkload::Answer& answer, const core::Stream&) { answer = answer_of(counts()); }
  harness::Choices choices() const {
    harness::Choices all = {{"waiting_nodes", std::to_string(static_cast<long long>(open_node_bytes())) + " bytes"}};
    if (method() == Method::depth_first)
      all.push_back({"warps", std::to_string(tuning().warps) + " for each multiprocessor"});
    return all;
  }
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    bindings.push_back({std::string(step.name), harness::device_solver<UtsWorkload, DeviceSearch>(step.method)});
  return bindings;
}

}  // namespace speedwell::uts

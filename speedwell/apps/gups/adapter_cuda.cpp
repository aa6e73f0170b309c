// The GPU variants of gups for the harness.
#include <string>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::gups {
namespace {

class DeviceUpdates : public GpuSolver {
 public:
  DeviceUpdates(const GupsWorkload& workload, const harness::Context&, const std::string& step)
      : GpuSolver(workload.problem(), method_of(step, workload.problem()), workload.rule()) {}

  void execute(const core::Stream& stream) { run(stream); }
  void download(GupsWorkload::Answer& table, const core::Stream& stream) { GpuSolver::download(table.span(), stream); }
  harness::Choices choices() const {
    const auto threads = static_cast<std::uint64_t>(machine().multiprocessors) *
                         static_cast<std::uint64_t>(machine().threads_of_multiprocessor);
    harness::Choices all = {look_ahead(plan().method == Method::binned ? plan().batch : 0, threads)};
    for (const Step& step : steps)
      if (step.method == plan().method) all.push_back({"method", std::string(step.name)});
    if (plan().method == Method::binned) {
      all.push_back({"bins", plan().coarse()
                                 ? std::to_string(plan().coarse_bins()) + " x " + std::to_string(plan().fine_bins())
                                 : std::to_string(plan().fine_bins())});
      all.push_back({"batches", std::to_string(plan().batches)});
    }
    return all;
  }
};

harness::Binding row(std::string_view name) {
  return {std::string(name), harness::device_solver<GupsWorkload, DeviceUpdates>(std::string(name))};
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps) bindings.push_back(row(step.name));
  bindings.push_back(row(best));
  return bindings;
}

}  // namespace speedwell::gups

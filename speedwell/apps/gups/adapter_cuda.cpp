// The GPU variants of gups for the harness.
#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/harness/device_solver_run.hpp"

namespace speedwell::gups {
namespace {

/// Nothing on the device is poisoned: words that are not updated keep their initial values, which are not those of the
/// oracle.
class DeviceUpdates {
 public:
  DeviceUpdates(const GupsWorkload& workload, const harness::Context&, const std::string& step)
      : workload_(workload), method_(method_of(step, workload.problem())) {}

  void allocate() { solver_.emplace(workload_.problem(), method_, workload_.rule()); }
  void upload(const core::Stream& stream) { solver_->upload(stream.get()); }
  void reset(const core::Stream& stream) { solver_->initialise(stream.get()); }
  void execute(const core::Stream& stream) { solver_->run(stream.get()); }
  void download(GupsWorkload::Answer& table, const core::Stream& stream) {
    solver_->download(table.span(), stream.get());
  }
  harness::Choices choices() const {
    const Plan& plan = solver_->plan();
    const Machine& machine = solver_->machine();
    const auto threads = static_cast<std::uint64_t>(machine.multiprocessors) *
                         static_cast<std::uint64_t>(machine.threads_of_multiprocessor);
    harness::Choices all = {look_ahead(plan.method == Method::binned ? plan.batch : 0, threads)};
    for (const Step& step : steps)
      if (step.method == plan.method) all.push_back({"method", std::string(step.name)});
    if (plan.method == Method::binned) {
      all.push_back({"bins", plan.coarse()
                                 ? std::to_string(plan.coarse_bins()) + " x " + std::to_string(plan.fine_bins())
                                 : std::to_string(plan.fine_bins())});
      all.push_back({"batches", std::to_string(plan.batches)});
    }
    return all;
  }

 private:
  const GupsWorkload& workload_;
  Method method_;
  std::optional<GpuSolver> solver_;
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

// The GPU variants of gups for the harness.
#include <cstdint>
#include <optional>
#include <string>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/adapter_choices.hpp"
#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::gups {
namespace {

/// Nothing on the device is poisoned: words that are not updated keep their initial values, which are not those of the
/// oracle.
class DeviceUpdates {
 public:
  DeviceUpdates(const GupsWorkload& workload, const harness::Context&, const std::string& step)
      : workload_(workload), method_(method_of(step, workload.problem())) {}

  void allocate() { solver_.emplace(workload_.problem(), method_, workload_.rule()); }
  void upload(const core::Stream& stream) { solver_->upload(stream); }
  void reset(const core::Stream& stream) { solver_->initialise(stream); }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(GupsWorkload::Answer& table, const core::Stream& stream) { solver_->download(table.span(), stream); }
  harness::Choices choices() const { return choices_of(*solver_); }

 private:
  const GupsWorkload& workload_;
  Method method_;
  std::optional<GpuSolver> solver_;
};

harness::Variant::Make updates(std::string_view name) {
  return harness::device_solver<GupsWorkload, DeviceUpdates>(std::string(name));
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  auto bindings = harness::ladder_bindings(steps, [](const Step& step) { return updates(step.name); });
  bindings.push_back({std::string(best), updates(best)});
  return bindings;
}

}  // namespace speedwell::gups

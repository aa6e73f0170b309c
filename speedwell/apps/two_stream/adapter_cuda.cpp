// The GPU variants of two_stream for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/apps/two_stream/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::two_stream {
namespace {

Method method_of(const std::string& name, Kernel kernel) {
  if (kernel != Kernel::coefficients) return name == "cuda-separate" ? Method::separate : Method::fused;
  return name == "cuda" ? Method::coefficients : Method::coefficients_study;
}

/// `name`: of the variant. That of cuda-isolated transfers all data in every execute.
template <class T>
class DeviceSolver {
 public:
  DeviceSolver(const Inputs<T>& inputs, const harness::Context&, const std::string& name)
      : inputs_(inputs), isolated_(name == "cuda-isolated"), method_(method_of(name, inputs.problem().kernel)) {}

  void allocate() { solver_.emplace(inputs_.atmosphere(), inputs_.problem().options, method_); }
  void upload(const core::Stream& stream) {
    if (!isolated_) solver_->upload(inputs_.atmosphere(), stream);
  }
  void poison(const core::Stream& stream) { harness::poison_async(solver_->device_work(), stream); }
  void execute(Results<T>& results, const core::Stream& stream) {
    if (isolated_) solver_->upload_async(inputs_.atmosphere(), stream);
    solver_->run(stream);
    if (isolated_) solver_->download_coefficients_async(results.layers(), stream);
  }
  void download(Results<T>& results, const core::Stream& stream) {
    if (isolated_) return;
    if (inputs_.is_column())
      solver_->download(results.fluxes(), stream);
    else
      solver_->download(results.layers(), stream);
  }
  harness::Choices choices() const { return {{"host_memory", "pageable"}}; }

 private:
  const Inputs<T>& inputs_;
  bool isolated_;
  Method method_;
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(
      steps, [](const Step& step) { return harness::device_solver<Inputs, DeviceSolver>(std::string(step.name)); });
}

}  // namespace speedwell::two_stream

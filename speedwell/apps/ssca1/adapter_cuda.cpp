// The GPU variants of SSCA#1 for the harness: a class of the library for each kernel, and the steps of kernel 1.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/apps/ssca1/adapter_gpu_kernels.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"

namespace speedwell::ssca1 {
namespace {

KernelResult result_of(const GpuTableStep& kernel) { return kernel.endpoints(); }

harness::Choices choices_of(const GpuTable& kernel) { return {{"sections", std::to_string(kernel.sections())}}; }
harness::Choices choices_of(const GpuTableStep& kernel) {
  return {{"launches", std::to_string(kernel.launches())}, {"passes", std::to_string(kernel.passes())}};
}
harness::Choices choices_of(const GpuTraces& kernel) {
  return {{"paths_on_host", std::to_string(kernel.paths_on_host())}};
}
template <class Kernel>
harness::Choices choices_of(const Kernel& kernel) {
  return {{"on_host", std::to_string(kernel.on_host())}};
}

/// One of the library's kernels. They wait for their results and do the rest on the host within run(), so that
/// execute() does; download() puts the results into the form of the library's functions.
template <class Kernel>
class KernelSolver {
 public:
  /// `step`: of kernel 1, for GpuTableStep alone.
  KernelSolver(const Ssca1Workload& workload, const harness::Context& context, std::string_view step = {})
      : arguments_(workload.arguments()), device_(context.device), step_(step) {}

  void allocate() {
    kernel_.reset();  // frees first
    const KernelArguments& a = arguments_;
    if constexpr (std::is_same_v<Kernel, GpuTableStep>)
      kernel_.emplace(step_, a.main, a.match, *a.scoring, a.endpoint_rules, device_);
    else
      kernel_.emplace(make_kernel<Kernel>(a, device_));
  }
  void upload(const core::Stream& stream) { kernel_->upload(stream); }
  void poison(const core::Stream&) { executed_ = false; }
  void execute(const core::Stream& stream) {
    kernel_->run(stream);
    executed_ = true;
  }
  void download(KernelAnswer& answer, const core::Stream&) {
    if (executed_) answer.set(result_of(*kernel_));
  }
  harness::Choices choices() const { return choices_of(*kernel_); }

 private:
  KernelArguments arguments_;
  int device_;
  std::string_view step_;
  std::optional<Kernel> kernel_;
  bool executed_ = false;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  auto runs = harness::ladder_bindings(kernel1_steps, [](const core::LadderStep& step) {
    return harness::device_solver<Ssca1Workload, KernelSolver<GpuTableStep>>(step.name);
  });
  runs.push_back({"cuda", make_kernel_run<KernelSolver>});
  return runs;
}

}  // namespace speedwell::ssca1

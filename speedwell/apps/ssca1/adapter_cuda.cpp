// The GPU variant of SSCA#1 for the harness: a class of the library for each kernel.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"
#include "speedwell/apps/ssca1/kernel2_gpu_traces.hpp"
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"
#include "speedwell/apps/ssca1/kernel4_gpu_differences.hpp"
#include "speedwell/apps/ssca1/kernel5_gpu_stars.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::ssca1 {
namespace {

Endpoints result_of(const GpuTable& kernel) { return kernel.endpoints(); }
Endpoints result_of(const GpuTableStep& kernel) { return kernel.endpoints(); }
Traced result_of(const GpuTraces& kernel) { return kernel.traced(); }
std::vector<std::vector<SimilarRegion>> result_of(const GpuSimilar& kernel) { return kernel.regions(); }
std::vector<Differences> result_of(const GpuDifferences& kernel) { return kernel.differences(); }
std::vector<StarAlignment> result_of(const GpuStars& kernel) { return kernel.stars(); }

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
  using Make = std::function<Kernel(const Ssca1Workload&, int device)>;
  KernelSolver(const Ssca1Workload& workload, const harness::Context& context, Make make)
      : workload_(workload), device_(context.device), make_(std::move(make)) {}

  void allocate() {
    kernel_.reset();  // frees first
    kernel_.emplace(make_(workload_, device_));
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
  const Ssca1Workload& workload_;
  int device_;
  Make make_;
  std::optional<Kernel> kernel_;
  bool executed_ = false;
};

template <class Kernel>
harness::Variant::Make run_of(typename KernelSolver<Kernel>::Make make) {
  return harness::device_solver<Ssca1Workload, KernelSolver<Kernel>>(std::move(make));
}

std::unique_ptr<harness::Run> make_gpu_run(std::shared_ptr<const harness::Workload> workload,
                                           const harness::Context& context) {
  const auto solver = [&]<class Kernel>(Kernel (*make)(const Ssca1Workload&, int)) {
    return run_of<Kernel>(make)(workload, context);
  };
  switch (static_cast<const Ssca1Workload&>(*workload).kernel) {
    case 1:
      return solver(+[](const Ssca1Workload& w, int device) {
        return GpuTable(w.main(), w.match(), w.scoring, w.problem.endpoints, device);
      });
    case 2:
      return solver(+[](const Ssca1Workload& w, int device) {
        return GpuTraces(w.main(), w.match(), w.scoring, w.endpoints, w.problem.traces, device);
      });
    case 3:
      return solver(+[](const Ssca1Workload& w, int device) {
        return GpuSimilar(w.main(), w.queries, w.scoring, w.problem.similar, device);
      });
    case 4:
      return solver(
          +[](const Ssca1Workload& w, int device) { return GpuDifferences(w.sets, w.problem.costs, device); });
    default:
      return solver(
          +[](const Ssca1Workload& w, int device) { return GpuStars(w.sets, w.differences, w.problem.costs, device); });
  }
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> runs;
  for (const core::LadderStep& step : kernel1_steps)
    runs.push_back(
        {std::string(step.name), run_of<GpuTableStep>([name = step.name](const Ssca1Workload& w, int device) {
           return GpuTableStep(name, w.main(), w.match(), w.scoring, w.problem.endpoints, device);
         })});
  runs.push_back({"cuda", make_gpu_run});
  return runs;
}

}  // namespace speedwell::ssca1

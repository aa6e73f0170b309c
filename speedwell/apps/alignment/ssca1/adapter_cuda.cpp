// The GPU row of SSCA#1: runs that forward to the library's classes, one for each kernel.
#include "speedwell/apps/alignment/ssca1/adapter.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/ssca1/adapter_case.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_differences.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_similar.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_stars.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_table.hpp"
#include "speedwell/apps/alignment/ssca1/gpu_traces.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

Endpoints result_of(const GpuTable& kernel) { return kernel.endpoints(); }
Traced result_of(const GpuTraces& kernel) { return kernel.traced(); }
std::vector<std::vector<SimilarRegion>> result_of(const GpuSimilar& kernel) { return kernel.regions(); }
std::vector<Differences> result_of(const GpuDifferences& kernel) { return kernel.differences(); }
std::vector<StarAlignment> result_of(const GpuStars& kernel) { return kernel.stars(); }

using Choices = std::vector<std::pair<std::string, std::string>>;
Choices choices_of(const GpuTable& kernel) { return {{"sections", std::to_string(kernel.sections())}}; }
Choices choices_of(const GpuTraces& kernel) { return {{"paths_on_host", std::to_string(kernel.paths_on_host())}}; }
template <class Kernel>
Choices choices_of(const Kernel& kernel) {
  return {{"on_host", std::to_string(kernel.on_host())}};
}

/// One of the library's kernels. They wait for their results and do what is left on the host within run(), so that
/// execute() does; download() puts the results into the form of the library's functions.
template <class Kernel>
class LibraryRun : public KernelRun {
 public:
  using Make = Kernel (*)(const Ssca1Case&, int device);
  LibraryRun(std::shared_ptr<const Ssca1Case> made, int device, Make make)
      : KernelRun(std::move(made)), device_(device), make_(make) {}

  void allocate() override {
    kernel_.emplace(make_(prepared(), device_));
    kernel_->allocate();
  }
  void upload() override { kernel_->upload(stream_); }
  void poison() override {
    KernelRun::poison();
    executed_ = false;
  }
  void execute() override {
    kernel_->run(stream_);
    executed_ = true;
  }
  void download() override {
    KernelRun::download();
    if (executed_) take(result_of(*kernel_));
  }
  Choices choices() override { return choices_of(*kernel_); }

 private:
  int device_;
  Make make_;
  core::Stream stream_;
  std::optional<Kernel> kernel_;
  bool executed_ = false;
};

std::unique_ptr<harness::Run> make_gpu_run(std::shared_ptr<const harness::Workload> prepared,
                                           const harness::Context& context) {
  core::check(cudaSetDevice(context.device));  // before the run makes its stream
  auto made = std::static_pointer_cast<const Ssca1Case>(std::move(prepared));
  const auto run = [&]<class Kernel>(Kernel (*make)(const Ssca1Case&, int)) -> std::unique_ptr<harness::Run> {
    return std::make_unique<LibraryRun<Kernel>>(std::move(made), context.device, make);
  };
  switch (made->kernel) {
    case 1:
      return run(+[](const Ssca1Case& c, int device) {
        return GpuTable(c.main(), c.match(), c.scoring, c.problem.endpoints, device);
      });
    case 2:
      return run(+[](const Ssca1Case& c, int device) {
        return GpuTraces(c.main(), c.match(), c.scoring, c.endpoints, c.problem.traces, device);
      });
    case 3:
      return run(+[](const Ssca1Case& c, int device) {
        return GpuSimilar(c.main(), c.queries, c.scoring, c.problem.similar, device);
      });
    case 4:
      return run(+[](const Ssca1Case& c, int device) { return GpuDifferences(c.sets, c.problem.costs, device); });
    default:
      return run(
          +[](const Ssca1Case& c, int device) { return GpuStars(c.sets, c.differences, c.problem.costs, device); });
  }
}

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", make_gpu_run}}; }

}  // namespace speedwell::alignment::ssca1

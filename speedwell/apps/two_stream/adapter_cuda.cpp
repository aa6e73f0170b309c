// The GPU rows: runs that forward to the solver.
#include "speedwell/apps/two_stream/adapter_cuda.hpp"

#include "speedwell/apps/two_stream/adapter_case.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::two_stream {
namespace {

Method way_of(const std::string& name, Kernel kernel) {
  if (kernel == Kernel::column) return name == "cuda-separate" ? Method::separate : Method::fused;
  return name == "cuda" ? Method::coefficients : Method::coefficients_study;
}

template <class T>
class StepRun final : public harness::GpuRun {
 public:
  StepRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, const std::string& name)
      : inputs_(std::move(inputs)),
        isolated_(name == "cuda-isolated"),
        solver_(inputs_->atmosphere(), inputs_->problem().options, way_of(name, inputs_->problem().kernel)),
        results_(inputs_) {}

  void allocate() override {
    solver_.allocate();
    results_.allocate();
  }
  void upload() override {
    if (!isolated_) solver_.upload(inputs_->atmosphere(), stream());
  }
  void poison() override {
    solver_.poison(stream());
    stream().synchronize();
    results_.poison();
  }
  void download() override {
    if (isolated_) return;
    if (inputs_->problem().kernel == Kernel::column)
      solver_.download(results_.fluxes(), stream());
    else
      solver_.download(results_.layers(), stream());
  }
  core::Verdict verify() override { return results_.judge(); }
  std::vector<harness::Output> outputs() override { return results_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override { return {{"host_memory", "pageable"}}; }

 protected:
  void enqueue() override {
    if (isolated_) solver_.upload_async(inputs_->atmosphere(), stream());
    solver_.run(stream());
    if (isolated_) solver_.download_coefficients_async(results_.layers(), stream());
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  bool isolated_;
  GpuSolver<T> solver_;
  Results<T> results_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const char* name : {"cuda-isolated", "cuda-resident", "cuda-separate", "cuda"})
    bindings.push_back({name, harness::on_device(harness::make_in_precision<Inputs, StepRun>(std::string(name)))});
  return bindings;
}

}  // namespace speedwell::two_stream

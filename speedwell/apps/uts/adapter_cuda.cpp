// The GPU variants: a run that forwards to the solver with the method of the variant.
#include "speedwell/apps/uts/adapter_cuda.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/uts/adapter_case.hpp"
#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::uts {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const UtsCase> prepared, const harness::Context&, Method method)
      : case_(std::move(prepared)), solver_(case_->tree(), method, best_tuning(case_->tree())) {}

  void allocate() override { solver_.allocate(); }
  void upload() override { solver_.upload(stream()); }
  void poison() override {
    solver_.forget();
    counts_.poison();
  }
  void download() override { counts_.set(solver_.counts()); }
  core::Verdict verify() override { return case_->judge(counts_.get()); }
  std::vector<harness::Output> outputs() override { return counts_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    std::vector<std::pair<std::string, std::string>> all = {
        {"waiting_nodes", std::to_string(static_cast<long long>(solver_.open_node_bytes())) + " bytes"}};
    if (solver_.method() == Method::stacks)
      all.push_back({"warps", std::to_string(solver_.tuning().warps) + " for each multiprocessor"});
    return all;
  }

 protected:
  void enqueue() override { solver_.run(stream()); }

 private:
  std::shared_ptr<const UtsCase> case_;
  GpuSolver solver_;
  CountsOutput counts_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    bindings.push_back(
        {std::string(step.name), harness::on_device(harness::make_run<UtsCase, DeviceRun>(step.method))});
  return bindings;
}

}  // namespace speedwell::uts

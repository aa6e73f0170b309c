// The GPU rows: a run that forwards to the solver with the row's way.
#include "speedwell/apps/gups/adapter_cuda.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/gups/adapter_case.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::gups {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const GupsCase> prepared, const harness::Context&, std::string step)
      : case_(std::move(prepared)), solver_(case_->problem(), method_of(step, case_->problem()), case_->rule()) {}

  void allocate() override {
    solver_.allocate();
    table_ = core::HostBuffer<std::uint64_t>(case_->problem().words);
  }
  void upload() override { solver_.upload(stream()); }
  void reset() override { solver_.reset(stream()); }
  void poison() override { std::memset(table_.data(), 0xff, table_.bytes()); }
  void download() override { solver_.download(table_.span(), stream()); }
  core::Verdict verify() override { return case_->judge(std::as_const(table_).span()); }
  std::vector<harness::Output> outputs() override { return output_of(table_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const Plan& plan = solver_.plan();
    const auto threads = static_cast<std::uint64_t>(solver_.machine().multiprocessors) *
                         static_cast<std::uint64_t>(solver_.machine().threads_of_multiprocessor);
    std::vector<std::pair<std::string, std::string>> all = {
        look_ahead(plan.method == Method::binned ? plan.batch : 0, threads)};
    for (const Step& step : steps)
      if (step.method == plan.method) all.push_back({"way", std::string(step.name)});
    if (plan.method == Method::binned) {
      all.push_back({"bins", plan.coarse()
                                 ? std::to_string(plan.coarse_bins()) + " x " + std::to_string(plan.fine_bins())
                                 : std::to_string(plan.fine_bins())});
      all.push_back({"batches", std::to_string(plan.batches)});
    }
    return all;
  }

 protected:
  void enqueue() override { solver_.run(stream()); }

 private:
  std::shared_ptr<const GupsCase> case_;
  GpuSolver solver_;
  core::HostBuffer<std::uint64_t> table_;
};

harness::Binding row(std::string_view name) {
  return {std::string(name), harness::on_device(harness::make_run<GupsCase, DeviceRun>(std::string(name)))};
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps) bindings.push_back(row(step.name));
  bindings.push_back(row(best));
  return bindings;
}

}  // namespace speedwell::gups

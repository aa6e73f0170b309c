// The GPU rows: runs that forward to the solvers.
#include "speedwell/apps/binary_fluid/adapter_cuda.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/binary_fluid/adapter_case.hpp"
#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/gpu_study.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::binary_fluid {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  /// The last step chooses its method.
  DeviceRun(std::shared_ptr<const Inputs> inputs, const harness::Context&, const Step* step)
      : inputs_(std::move(inputs)), method_(step->name == "cuda" ? choose(inputs_->problem()) : step->method) {}

  void allocate() override { solver_ = std::make_unique<GpuSolver>(inputs_->problem(), method_, inputs_->precision()); }
  void upload() override { solver_->upload(inputs_->begun(), stream()); }
  void reset() override { solver_->reset(stream()); }
  void poison() override {
    solver_->poison(stream());
    binary_fluid::poison(answer_, inputs_->problem().extents);
  }
  void download() override { solver_->finish(answer_, stream()); }
  core::Verdict verify() override { return inputs_->judge(answer_); }
  std::vector<harness::Output> outputs() override { return outputs_of(answer_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = inputs_->figures(answer_);
    all.push_back({"method", method_ == Method::moments    ? "moments"
                             : method_ == Method::in_place ? "in place"
                                                           : "resident"});
    return all;
  }

 protected:
  void enqueue() override { solver_->run(inputs_->problem().steps, stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  Method method_;
  std::unique_ptr<GpuSolver> solver_;
  State answer_;
};

/// The host is in the loop: execute() ends when the steps have.
class StudyRun final : public harness::GpuRun {
 public:
  StudyRun(std::shared_ptr<const Inputs> inputs, const harness::Context& context, const Step* step)
      : inputs_(std::move(inputs)), study_(step->study), threads_(context.threads) {}

  void allocate() override {
    solver_ = std::make_unique<StudySolver>(inputs_->problem(), study_, inputs_->precision(), threads_);
  }
  void reset() override { solver_->set(inputs_->begun()); }
  void poison() override { binary_fluid::poison(answer_, inputs_->problem().extents); }
  void download() override { solver_->get(answer_); }
  core::Verdict verify() override { return inputs_->judge(answer_); }
  std::vector<harness::Output> outputs() override { return outputs_of(answer_, *inputs_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = inputs_->figures(answer_);
    const StudySolver::Seconds& s = solver_->seconds();
    all.push_back({"kernels_s", std::to_string(s.kernels)});
    all.push_back({"transfers_s", std::to_string(s.transfers)});
    all.push_back({"host_s", std::to_string(s.host)});
    return all;
  }

 protected:
  void enqueue() override { solver_->run(inputs_->problem().steps, stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  Study study_;
  int threads_;
  std::unique_ptr<StudySolver> solver_;
  State answer_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : ladder)
    bindings.push_back({std::string(step.name), harness::on_device(step.method == Method::study
                                                                       ? harness::make_run<Inputs, StudyRun>(&step)
                                                                       : harness::make_run<Inputs, DeviceRun>(&step))});
  return bindings;
}

}  // namespace speedwell::binary_fluid

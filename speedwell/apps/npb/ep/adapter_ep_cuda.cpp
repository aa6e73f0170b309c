// The GPU rows of EP: a run that forwards to the solver.
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/npb/adapter_cuda.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"
#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::npb {
namespace ep {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const EpCase> prepared, const Step& step)
      : case_(std::move(prepared)), solver_(case_->problem, step.name) {}

  void allocate() override { solver_.allocate(); }
  void upload() override { solver_.upload(stream()); }
  void poison() override {
    solver_.poison(stream());
    answer_.poison();
  }
  /// The result is in host memory when execute() has ended, as the benchmark's clock wants it.
  void download() override { answer_.result() = solver_.result(); }
  core::Verdict verify() override { return ep::verify(case_->expected, answer_.result()); }
  std::vector<harness::Output> outputs() override { return answer_.outputs(); }
  std::vector<std::pair<std::string, std::string>> choices() override { return {{"host_memory", "pinned"}}; }

 protected:
  void enqueue() override { solver_.run(stream()); }

 private:
  std::shared_ptr<const EpCase> case_;
  GpuSolver solver_;
  Answer answer_;
};

/// On the device of the context, which a run's stream must be made on.
harness::Variant::Make on_device(const Step* step) {
  return [step](std::shared_ptr<const harness::Case> prepared,
                const harness::Context& context) -> std::unique_ptr<harness::Run> {
    if (context.deterministic && !step->same_bits_every_time)
      throw core::Unavailable(std::string(step->name) + ": atomic additions are made in any order");
    core::check(cudaSetDevice(context.device));
    return std::make_unique<DeviceRun>(std::static_pointer_cast<const EpCase>(std::move(prepared)), *step);
  };
}

}  // namespace
}  // namespace ep

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const ep::Step& step : ep::steps) bindings.push_back({std::string(step.name), ep::on_device(&step)});
  return bindings;
}

}  // namespace speedwell::npb

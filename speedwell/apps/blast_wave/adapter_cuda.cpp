// The GPU rows: a run that forwards to the solver.
#include "speedwell/apps/blast_wave/adapter_cuda.hpp"

#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/blast_wave/adapter_case.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::blast_wave {
namespace {

class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs> inputs, const harness::Context&, BlockSource blocks)
      : inputs_(std::move(inputs)), blocks_(blocks) {}

  void allocate() override {
    const Problem& p = inputs_->problem();
    solver_ = std::make_unique<GpuSolver>(p, blocks_, p.steps, stream());
  }
  void upload() override { solver_->upload(inputs_->begun(), stream()); }
  void reset() override { solver_->reset(stream()); }
  /// The device's state is poisoned by reset(), which writes all of it: what a step leaves out keeps its old value,
  /// which is not the oracle's.
  void poison() override { blast_wave::poison(answer_, inputs_->begun().q.size()); }
  void download() override { answer_.history = solver_->finish(answer_.state, stream()); }
  core::Verdict verify() override {
    return inputs_->judge(answer_, blocks_ == BlockSource::f32 ? Iterations::free : Iterations::as_the_oracle);
  }
  std::vector<harness::Output> outputs() override {
    return {{"q", harness::ElementType::f64, answer_.state.q.data(), answer_.state.q.size()}};
  }
  std::vector<std::pair<std::string, std::string>> choices() override { return figures(answer_); }

 protected:
  void enqueue() override { solver_->run(inputs_->problem().steps, stream()); }

 private:
  std::shared_ptr<const Inputs> inputs_;
  BlockSource blocks_;
  std::unique_ptr<GpuSolver> solver_;
  Answer answer_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    bindings.push_back(
        {std::string(step.name), harness::on_device(harness::make_run<Inputs, DeviceRun>(step.blocks))});
  return bindings;
}

}  // namespace speedwell::blast_wave

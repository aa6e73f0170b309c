// The GPU row: a run that forwards to the solver.
#include "speedwell/apps/incompressible_flow/adapter_cuda.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "speedwell/apps/incompressible_flow/adapter_case.hpp"
#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/harness/gpu_run.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class DeviceRun final : public harness::GpuRun {
 public:
  DeviceRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context& context)
      : inputs_(std::move(inputs)), end_(Extents{0, 0, 0}) {
    Options options = inputs_->options();
    options.threads = context.threads;  // of copies to and from the device's layout
    solver_ = std::make_unique<GpuSolver<T>>(inputs_->problem(), options);
  }

  void allocate() override {
    solver_->allocate();
    end_ = State<T>(inputs_->problem().extents());
  }
  void upload() override { solver_->upload(inputs_->begin(), stream()); }
  void reset() override { solver_->reset(stream()); }
  /// The flow is advanced where it lies: what a step leaves out keeps a value that is not the oracle's.
  void poison() override {
    for (const harness::Output& o : outputs()) std::memset(o.data, 0xff, o.count * sizeof(T));
  }
  void download() override { solver_->download(end_, stream()); }
  core::Verdict verify() override { return inputs_->judge(end_, false); }
  std::vector<harness::Output> outputs() override { return outputs_of(end_, inputs_->begin()); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = solver_->choices();
    if (const int breakdowns = solver_->breakdowns(stream()); breakdowns > 0)
      all.push_back({"solves beside solids without positive curvature", std::to_string(breakdowns)});
    all.push_back({"host_memory", "pageable"});
    return all;
  }

 protected:
  void enqueue() override { solver_->run(inputs_->dt(), inputs_->steps(), stream()); }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  std::unique_ptr<GpuSolver<T>> solver_;
  State<T> end_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", harness::on_device(make_in_precision<DeviceRun>())}}; }

}  // namespace speedwell::incompressible_flow

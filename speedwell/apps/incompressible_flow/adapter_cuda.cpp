// The GPU variant of incompressible_flow for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/adapter.hpp"
#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class DeviceSolver {
 public:
  DeviceSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), options_(inputs.options()) {
    options_.threads = context.threads;  // of conversions to and from the layout on the device
  }

  void allocate() { solver_.emplace(inputs_.problem(), options_); }
  void upload(const core::Stream& stream) { solver_->upload_saved(inputs_.initial(), stream); }
  void reset(const core::Stream& stream) { solver_->restore(stream); }
  void execute(const core::Stream& stream) {
    stream_ = &stream;
    solver_->run(inputs_.dt(), inputs_.steps(), stream);
  }
  void download(State<T>& state, const core::Stream& stream) { solver_->download(state, stream); }
  core::Verdict verify(const State<T>& state) const { return inputs_.verify(state, false); }
  harness::Choices choices() {
    harness::Choices all = solver_->choices();
    if (const int breakdowns = stream_ ? solver_->breakdowns(*stream_) : 0; breakdowns > 0)
      all.push_back({"solves beside solids without positive curvature", std::to_string(breakdowns)});
    return harness::joined(all, {{"host_memory", "pageable"}});
  }

 private:
  const Inputs<T>& inputs_;
  Options options_;
  std::optional<GpuSolver<T>> solver_;
  const core::Stream* stream_ = nullptr;  // of the last execute()
};

}  // namespace

std::vector<harness::Binding> cuda_runs() { return {{"cuda", harness::device_solver<Inputs, DeviceSolver>()}}; }

}  // namespace speedwell::incompressible_flow

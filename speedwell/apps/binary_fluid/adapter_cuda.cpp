// The GPU variants of binary_fluid for the harness.
#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/adapter.hpp"
#include "speedwell/apps/binary_fluid/adapter_workload.hpp"
#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/gpu_study.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::binary_fluid {
namespace {

class DeviceSolver {
 public:
  /// The last step chooses its method.
  DeviceSolver(const FluidWorkload& workload, const harness::Context&, const Step* step)
      : workload_(workload), method_(step->name == "cuda" ? choose(workload.problem()) : step->method) {}

  void allocate() { solver_.emplace(workload_.problem(), method_, workload_.precision()); }
  void upload(const core::Stream& stream) { solver_->upload(workload_.initial_state(), stream); }
  void reset(const core::Stream& stream) { solver_->restore(stream); }
  void poison(const core::Stream& stream) {
    harness::poison_async(solver_->device_work(), stream);
    solver_->restore(stream);
  }
  void execute(const core::Stream& stream) { solver_->run(workload_.problem().steps, stream); }
  void download(State& answer, const core::Stream& stream) { solver_->finish(answer, stream); }
  harness::Choices choices(const State& answer) const {
    return harness::joined(workload_.drifts(answer), {{"method", method_ == Method::moments    ? "moments"
                                                                 : method_ == Method::in_place ? "in place"
                                                                                               : "resident"}});
  }

 private:
  const FluidWorkload& workload_;
  Method method_;
  std::optional<GpuSolver> solver_;
};

/// The study's variants, whose time loop is on the host: execute() returns when the steps are done.
class DeviceStudy {
 public:
  DeviceStudy(const FluidWorkload& workload, const harness::Context& context, const Step* step)
      : workload_(workload), study_(step->study), threads_(context.threads) {}

  void allocate() { solver_.emplace(workload_.problem(), study_, workload_.precision(), threads_); }
  void reset(const core::Stream&) { solver_->set(workload_.initial_state()); }
  void execute(const core::Stream& stream) { solver_->run(workload_.problem().steps, stream); }
  void download(State& answer, const core::Stream&) { solver_->get(answer); }
  harness::Choices choices(const State& answer) const {
    const StudySolver::Seconds& s = solver_->seconds();
    return harness::joined(workload_.drifts(answer), {{"kernels_s", std::to_string(s.kernels)},
                                                      {"transfers_s", std::to_string(s.transfers)},
                                                      {"host_s", std::to_string(s.host)}});
  }

 private:
  const FluidWorkload& workload_;
  Study study_;
  int threads_;
  std::optional<StudySolver> solver_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(ladder, [](const Step& step) {
    return step.method == Method::study ? harness::device_solver<FluidWorkload, DeviceStudy>(&step)
                                        : harness::device_solver<FluidWorkload, DeviceSolver>(&step);
  });
}

}  // namespace speedwell::binary_fluid

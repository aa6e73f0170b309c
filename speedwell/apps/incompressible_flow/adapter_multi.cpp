// incompressible_flow on several GPUs for the harness: the first rank distributes the initial flow and collects the
// answer.
#include <algorithm>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/adapter.hpp"
#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
class SlabSolver {
 public:
  /// Without a transport: the fastest.
  SlabSolver(const Inputs<T>& inputs, const harness::Context& context, std::optional<comm::Transport> transport)
      : inputs_(inputs),
        ranks_(*context.ranks),
        transport_(transport ? *transport : comm::fastest_transport(ranks_)),
        options_(inputs.options()),
        dt_(ranks_.broadcast(inputs.dt())) {
    options_.threads = std::max(1, context.threads / ranks_.size());  // of conversions: the ranks share the cores
  }

  void allocate() { solver_.emplace(ranks_, inputs_.problem(), options_, transport_); }
  void upload(const core::Stream& stream) {
    solver_->scatter(ranks_.rank() == 0 ? &inputs_.initial() : nullptr, stream);
    stream.synchronize();
  }
  void reset(const core::Stream& stream) { solver_->restore(stream); }
  void execute(const core::Stream& stream) { solver_->run(dt_, inputs_.steps(), stream); }
  void download(State<T>& answer, const core::Stream& stream) {
    diffusion_iterations_ = solver_->diffusion_iterations(stream);
    solver_->check(stream);
    solver_->gather(ranks_.rank() == 0 ? &answer : nullptr, stream);
  }
  core::Verdict verify(const State<T>& state) const { return inputs_.verify(state, false); }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices() const {
    harness::Choices all = {{"pressure", solver_->choice().reason},
                            {"transport", std::string(to_string(transport_))},
                            {"division", solver_->division_text()}};
    if (diffusion_iterations_ > 0) all.emplace_back("diffusion iterations", std::to_string(diffusion_iterations_));
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  comm::Transport transport_;
  Options options_;
  double dt_;
  int diffusion_iterations_ = 0;  // of all steps, if diffusion is implicit
  std::optional<DistributedGpuSolver<T>> solver_;
};

harness::Variant::Make slabs(std::optional<comm::Transport> transport) {
  return harness::device_solver<Inputs, SlabSolver>(transport);
}

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi-staged", slabs(comm::Transport::staged)},
          {"multi-nccl", slabs(comm::Transport::nccl)},
          {"multi", slabs(std::nullopt)}};
}

}  // namespace speedwell::incompressible_flow

// binary_fluid on several GPUs for the harness: the first rank distributes the initial state and collects the answer.
#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/adapter.hpp"
#include "speedwell/apps/binary_fluid/adapter_workload.hpp"
#include "speedwell/apps/binary_fluid/gpu_distributed.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::binary_fluid {
namespace {

class SlabSolver : public harness::OnRanks<FluidWorkload> {
 public:
  /// Without a transport: the fastest.
  SlabSolver(const FluidWorkload& workload, const harness::Context& context, std::optional<comm::Transport> transport,
             bool overlapped)
      : OnRanks(workload, context),
        overlapped_(overlapped),
        transport_(transport ? *transport : comm::fastest_transport(ranks_)) {}

  void allocate() { fluid_.emplace(ranks_, workload_.problem(), workload_.precision(), transport_); }
  void upload(const core::Stream& stream) { fluid_->scatter(on_root(workload_.initial_state()), stream); }
  void reset(const core::Stream& stream) { fluid_->restore(stream); }
  void poison(const core::Stream& stream) {
    harness::poison_async(fluid_->device_work(), stream);
    fluid_->restore(stream);
  }
  void execute(const core::Stream& stream) {
    const int steps = workload_.problem().steps;
    overlapped_ ? fluid_->run(steps, stream) : fluid_->exchange_and_run(steps, stream);
  }
  void download(State& answer, const core::Stream& stream) {
    fluid_->check(stream);
    fluid_->gather(on_root(answer), stream);
  }
  double exchange_seconds() const { return fluid_->exchange_seconds(); }
  harness::Choices choices(const State& answer) const {
    return harness::joined(workload_.drifts(answer),
                           {{"method", choose(workload_.problem()) == Method::moments ? "moments" : "in place"},
                            {"transport", std::string(to_string(transport_))},
                            {"ranks_along_x_y_z", fluid_->division_text()}});
  }

 private:
  bool overlapped_;
  comm::Transport transport_;
  std::optional<DistributedGpuFluid> fluid_;
};

harness::Variant::Make slabs(std::optional<comm::Transport> transport, bool overlapped = true) {
  return harness::device_solver<FluidWorkload, SlabSolver>(transport, overlapped);
}

}  // namespace

std::vector<harness::Binding> multi_runs() {
  return {{"multi-exchange", slabs(comm::Transport::staged, false)},
          {"multi-staged", slabs(comm::Transport::staged)},
          {"multi-nccl", slabs(comm::Transport::nccl)},
          {"multi", slabs(std::nullopt)}};
}

}  // namespace speedwell::binary_fluid

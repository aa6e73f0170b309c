// binary_fluid on ranks for the harness: the first rank distributes the initial state and collects the answer.
#include <optional>
#include <string>

#include "speedwell/apps/binary_fluid/adapter.hpp"
#include "speedwell/apps/binary_fluid/adapter_workload.hpp"
#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::binary_fluid {
namespace {

class RanksSolver {
 public:
  RanksSolver(const FluidWorkload& workload, const harness::Context& context)
      : workload_(workload), ranks_(*context.ranks) {}

  void allocate() { fluid_.emplace(ranks_, workload_.problem(), workload_.precision()); }
  void upload() {
    fluid_->scatter(ranks_.rank() == 0 ? &workload_.initial_state() : nullptr);
    is_initial_ = true;
  }
  /// The ranks have no room for a copy of the initial state.
  void reset() {
    if (!is_initial_) upload();
  }
  void execute(State&) {
    is_initial_ = false;
    fluid_->run(workload_.problem().steps);
  }
  void download(State& answer) { fluid_->gather(ranks_.rank() == 0 ? &answer : nullptr); }
  harness::Choices choices(const State& answer) const {
    harness::Choices all = workload_.drifts(answer);
    all.push_back(harness::instruction_set());
    all.push_back({"ranks_along_x_y_z", fluid_->division_text()});
    return all;
  }
  double exchange_seconds() const { return fluid_->exchange_seconds(); }

 private:
  const FluidWorkload& workload_;
  const comm::Communicator& ranks_;
  std::optional<DistributedFluid> fluid_;
  bool is_initial_ = false;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<FluidWorkload, RanksSolver>()}}; }

}  // namespace speedwell::binary_fluid

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

class RanksSolver : public harness::OnRanks<FluidWorkload> {
 public:
  using OnRanks::OnRanks;
  static constexpr bool uploads_again = true;

  void allocate() { fluid_.emplace(ranks_, workload_.problem(), workload_.precision()); }
  void upload() { fluid_->scatter(on_root(workload_.initial_state())); }
  void execute(State&) { fluid_->run(workload_.problem().steps); }
  void download(State& answer) { fluid_->gather(on_root(answer)); }
  harness::Choices choices(const State& answer) const {
    return harness::joined(workload_.drifts(answer),
                           {harness::instruction_set(), {"ranks_along_x_y_z", fluid_->division_text()}});
  }
  double exchange_seconds() const { return fluid_->exchange_seconds(); }

 private:
  std::optional<DistributedFluid> fluid_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<FluidWorkload, RanksSolver>()}}; }

}  // namespace speedwell::binary_fluid

// FT on ranks for the harness.
#include <optional>

#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::npb::ft {
namespace {

class RanksSolver {
 public:
  RanksSolver(const FtWorkload& workload, const harness::Context& context)
      : problem_(workload.problem), ranks_(*context.ranks) {}

  void allocate() { solver_.emplace(ranks_, problem_); }
  void execute(Checksums& checksums) { checksums = solver_->run(); }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  Problem problem_;
  const comm::Communicator& ranks_;
  std::optional<DistributedSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> mpi_bindings() { return {{"mpi", harness::host_solver<FtWorkload, RanksSolver>()}}; }

}  // namespace speedwell::npb::ft

// The variants of npb on ranks for the harness.
#include <optional>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/distributed.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/apps/npb/ft/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::npb {
namespace {

void ep_on_ranks(const ep::EpWorkload& workload, ep::Result& result, const harness::Context& context) {
  result = ep::tally(*context.ranks, workload.problem);
}
harness::Choices instruction_set(const harness::Context&) { return {harness::instruction_set()}; }

class FtRanksSolver : public harness::OnRanks<ft::FtWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate() { solver_.emplace(ranks_, workload_.problem); }
  void execute(ft::Checksums& checksums) { checksums = solver_->run(); }
  double exchange_seconds() const { return solver_->exchange_seconds(); }
  harness::Choices choices() const {
    return {harness::instruction_set(), {"exchange", solver_->shares_memory() ? "shared memory" : "messages"}};
  }

 private:
  std::optional<ft::DistributedSolver> solver_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() {
  return bindings_of({{"ep", {{"mpi", harness::host_function<ep::EpWorkload>(ep_on_ranks, instruction_set)}}},
                      {"ft", {{"mpi", harness::host_solver<ft::FtWorkload, FtRanksSolver>()}}}});
}

}  // namespace speedwell::npb

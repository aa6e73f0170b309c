// SSCA#1 on ranks for the harness.
#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/apps/ssca1/adapter_workload.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::ssca1 {
namespace {

class RanksSolver {
 public:
  RanksSolver(const Ssca1Workload& workload, const harness::Context& context)
      : share_(*context.ranks, workload.arguments()) {}

  void execute(KernelAnswer& answer) { answer.set(share_.gather(share_.compute({.threads = 1}))); }
  double exchange_seconds() const { return share_.exchange_seconds(); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  RankShare share_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Ssca1Workload, RanksSolver>()}}; }

}  // namespace speedwell::ssca1

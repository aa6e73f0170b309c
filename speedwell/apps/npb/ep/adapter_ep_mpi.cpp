// EP on ranks for the harness, and the variants of all kernels on ranks.
#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/adapter_ep.hpp"
#include "speedwell/apps/npb/ep/distributed.hpp"
#include "speedwell/apps/npb/ft/adapter_ft.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::npb {
namespace {

void execute_on_ranks(const ep::EpWorkload& workload, ep::Result& result, const harness::Context& context) {
  result = ep::tally(*context.ranks, workload.problem);
}
harness::Choices instruction_set(const harness::Context&) { return {harness::instruction_set()}; }

}  // namespace

std::vector<harness::Binding> mpi_runs() {
  return bindings_of({{"ep", {{"mpi", harness::host_function<ep::EpWorkload>(execute_on_ranks, instruction_set)}}},
                      {"ft", ft::mpi_bindings()}});
}

}  // namespace speedwell::npb

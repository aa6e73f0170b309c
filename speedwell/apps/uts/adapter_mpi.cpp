// The search on ranks for the harness. All ranks have the counts in the end.
#include <string>

#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/distributed.hpp"
#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::uts {
namespace {

struct RanksSearch {
  RanksSearch(const UtsWorkload& w, const harness::Context& context) : workload(w), ranks(*context.ranks) {}
  void execute(UtsWorkload::Answer& answer) { answer = answer_of(search_on_ranks(ranks, workload.tree())); }
  harness::Choices choices() { return {{"hash", std::string(hashers().front().name)}}; }

  const UtsWorkload& workload;
  const comm::Communicator& ranks;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<UtsWorkload, RanksSearch>()}}; }

}  // namespace speedwell::uts

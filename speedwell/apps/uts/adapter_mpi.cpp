// The search on ranks for the harness. All ranks have the counts in the end.
#include <string>

#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/uts/adapter_workload.hpp"
#include "speedwell/apps/uts/distributed.hpp"
#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::uts {
namespace {

void search(const UtsWorkload& workload, UtsWorkload::Answer& answer, const harness::Context& context) {
  answer = answer_of(search_on_ranks(*context.ranks, workload.tree()));
}
harness::Choices hash(const harness::Context&) { return {{"hash", std::string(hashers().front().name)}}; }

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_function<UtsWorkload>(search, hash)}}; }

}  // namespace speedwell::uts

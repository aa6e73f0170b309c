// The table on ranks for the harness: every rank begins with its block, and the first one gathers them.
#include <memory>
#include <string>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/distributed.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::gups {
namespace {

class RanksUpdates : public harness::OnRanks<GupsWorkload> {
 public:
  using OnRanks::OnRanks;

  void allocate() { table_ = std::make_unique<DistributedTable>(ranks_, workload_.problem(), workload_.rule()); }
  void reset() { table_->initialise(); }
  void execute(GupsWorkload::Answer&) { table_->update(); }
  void download(GupsWorkload::Answer& gathered) { table_->gather(gathered.span()); }
  harness::Choices choices() const {
    const std::int64_t capacity = table_->capacity();
    return {look_ahead(static_cast<std::uint64_t>(capacity * (2 * ranks_.size() - 1)), 1),
            {"bucket", std::to_string(capacity) + " updates"},
            {"rounds", std::to_string(table_->rounds())}};
  }

 private:
  std::unique_ptr<DistributedTable> table_;
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<GupsWorkload, RanksUpdates>()}}; }

}  // namespace speedwell::gups

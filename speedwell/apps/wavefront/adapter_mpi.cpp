// The sweep on ranks for the harness: the first rank distributes the grid, and gathers the swept one.
#include <cstring>
#include <memory>
#include <string>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
class RanksSolver {
 public:
  RanksSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), ranks_(*context.ranks) {}

  void allocate() {
    sweep_ =
        std::make_unique<DistributedSweep<T>>(ranks_, inputs_.extents(), inputs_.recurrence(), inputs_.direction());
    initial_ = core::HostBuffer<T>(block().size());
  }
  void upload() {
    sweep_->scatter(ranks_.rank() == 0 ? &inputs_.grid() : nullptr);
    std::memcpy(initial_.data(), block().data(), block().bytes());
  }
  void reset() { std::memcpy(block().data(), initial_.data(), block().bytes()); }
  void execute(Grid<T>&) { sweep_->sweep(); }
  void download(Grid<T>& gathered) { sweep_->gather(&gathered); }
  harness::Choices choices() const {
    const comm::Decomposition& division = sweep_->division();
    const Pipeline& pipeline = sweep_->pipeline();
    return {{"division", std::to_string(division.grid()[0]) + " x " + std::to_string(division.grid()[1])},
            {"piece", pipeline.row_chunk > 0 ? std::to_string(pipeline.row_chunk) + " steps of a vector's rows"
                                             : std::to_string(pipeline.z_chunk) + " cells of each row"},
            {"faces", sweep_->shares_memory() ? "shared memory" : "messages"},
            harness::instruction_set()};
  }

 private:
  core::HostBuffer<T>& block() { return sweep_->block().cells; }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  std::unique_ptr<DistributedSweep<T>> sweep_;
  core::HostBuffer<T> initial_;  // cells of the block of this rank
};

}  // namespace

std::vector<harness::Binding> mpi_runs() { return {{"mpi", harness::host_solver<Inputs, RanksSolver>()}}; }

}  // namespace speedwell::wavefront

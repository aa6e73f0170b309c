// wavefront on several GPUs for the harness: the first rank distributes the grid, and gathers the swept one.
#include <optional>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/apps/wavefront/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::wavefront {
namespace {

/// As on one GPU, the initial cells are kept in a second array on each device, and nothing is poisoned.
template <class T>
class GpusSolver {
 public:
  GpusSolver(const Inputs<T>& inputs, const harness::Context& context) : inputs_(inputs), ranks_(*context.ranks) {}

  void allocate() {
    sweep_.reset();  // frees first, so that a second call does not need memory for two grids
    initial_ = {};
    sweep_.emplace(ranks_, inputs_.extents(), inputs_.recurrence(), inputs_.direction());
    initial_ = core::DeviceBuffer<T>(sweep_->device_cells().size());
  }
  void upload(const core::Stream& stream) {
    sweep_->scatter(ranks_.rank() == 0 ? &inputs_.grid() : nullptr, stream);
    core::copy_async(initial_.data(), static_cast<const T*>(sweep_->device_cells().data()), initial_.size(), stream);
    stream.synchronize();
  }
  void reset(const core::Stream& stream) {
    core::copy_async(sweep_->device_cells().data(), static_cast<const T*>(initial_.data()), initial_.size(), stream);
  }
  void execute(const core::Stream& stream) { sweep_->sweep(stream); }
  void download(Grid<T>& grid, const core::Stream& stream) {
    sweep_->check(stream);
    sweep_->gather(grid.cells.span(), stream);
  }
  double exchange_seconds() const { return sweep_->exchange_seconds(); }
  harness::Choices choices() const { return sweep_->choices(); }

 private:
  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  std::optional<DistributedGpuSweep<T>> sweep_;
  core::DeviceBuffer<T> initial_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<Inputs, GpusSolver>()}}; }

}  // namespace speedwell::wavefront

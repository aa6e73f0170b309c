// The GPU variants of wavefront for the harness, and the performance model of `cuda` on the GPU of this machine.
#include <optional>
#include <string>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/apps/wavefront/adapter_projection.hpp"
#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/apps/wavefront/gpu/tile_timing.hpp"
#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::wavefront {
namespace {

/// A sweep updates cells in place, so that the initial ones are kept in a second array on the device, from which every
/// sweep begins. Nothing on the device is poisoned: as on the host, cells that a sweep leaves out keep their initial
/// values, which are not those of the oracle.
template <class T>
class DeviceSolver {
 public:
  DeviceSolver(const Inputs<T>& inputs, const harness::Context&, const Step* step) : inputs_(inputs), step_(step) {}

  void allocate() {
    solver_.reset();  // frees first, so that a second call does not need memory for two grids
    initial_ = {};
    initial_ = core::DeviceBuffer<T>(static_cast<std::size_t>(inputs_.extents().cells()));
    solver_.emplace(inputs_.extents(), inputs_.recurrence(), inputs_.direction(), step_->name);
  }
  void upload(const core::Stream& stream) {
    core::copy_async(initial_.data(), inputs_.grid().cells.data(), initial_.size(), stream);
    solver_->upload_planes(inputs_.grid().planes, stream);
  }
  void reset(const core::Stream& stream) {
    core::copy_async(solver_->device_cells().data(), static_cast<const T*>(initial_.data()), initial_.size(), stream);
  }
  void execute(const core::Stream& stream) { solver_->run(stream); }
  void download(Grid<T>& grid, const core::Stream& stream) {
    solver_->finish(stream);
    solver_->download(grid.cells.span(), stream);
  }
  harness::Choices choices() const { return harness::joined(solver_->choices(), {{"host_memory", "pageable"}}); }

 private:
  const Inputs<T>& inputs_;
  const Step* step_;
  core::DeviceBuffer<T> initial_;
  std::optional<GpuSolver<T>> solver_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(steps,
                                  [](const Step& step) { return harness::device_solver<Inputs, DeviceSolver>(&step); });
}

double seconds_on_gpus(const Settings& settings, const Extents& extents, int device, int gpus) {
  if (device < 0 || device >= core::device_count()) throw core::Unavailable("no GPU to measure on");
  core::check(cudaSetDevice(device));
  return settings.f32 ? predicted_seconds(extents, in_precision<float>(settings.recurrence), gpus)
                      : predicted_seconds(extents, settings.recurrence, gpus);
}

}  // namespace speedwell::wavefront

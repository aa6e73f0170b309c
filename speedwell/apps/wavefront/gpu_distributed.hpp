// The sweep on several GPUs of one host, one per rank. Groups of planes along x are dealt to the GPUs in turn, and each
// sweeps its planes with the resident tiles of variant `cuda` in one kernel. A tile at the end of a group sends its
// face to the next GPU as it does to a tile of its own: a value of the face is its own signal, so that a GPU follows
// the preceding one by a few values. Included by CUDA sources only.
//   DistributedGpuSweep<float> solver(ranks, extents, recurrence);
//   solver.scatter(rank == 0 ? &grid : nullptr, stream);   solver.sweep(stream);   solver.check(stream);
//   solver.gather(rank == 0 ? cells : std::span<float>(), stream);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::wavefront {

struct DistributedGpuOptions {
  /// A GPU may begin so much later than another that its tiles must wait longer than those of one GPU alone.
  TileOptions tiles{.timeout = 20};
  std::int32_t group = 0;  // tiles along x of a group; 0: automatic
};

/// The functions are collective but for those that return what is known. Every number of ranks gives the bits of
/// sweep() in wavefront.hpp. An object belongs to the device that is current at its construction; one stream at a time
/// may use it.
template <class T>
class DistributedGpuSweep {
 public:
  /// `ranks` must outlive the object. Throws std::invalid_argument as GpuSolver, and core::Unavailable if the GPUs
  /// cannot reach each other's memory or there are more than 16.
  DistributedGpuSweep(const comm::Communicator& ranks, const Extents& whole, const Recurrence<T>& recurrence = {},
                      const Direction& direction = {}, const DistributedGpuOptions& options = {});
  ~DistributedGpuSweep();
  DistributedGpuSweep(DistributedGpuSweep&&) noexcept;
  DistributedGpuSweep& operator=(DistributedGpuSweep&&) = delete;

  /// Distributes the cells and the inflow planes of `whole` from rank 0; returns after completion.
  void scatter(const Grid<T>* whole, const core::Stream& stream);
  /// Enqueues zero-filling of the cells and the planes of this rank: a grid for timings that needs no host data.
  void clear(const core::Stream& stream);
  /// Enqueues one sweep, which updates the cells in place. It begins when all GPUs have finished what was enqueued
  /// before.
  void sweep(const core::Stream& stream);
  /// Waits for the sweeps. Throws core::DeviceError if one was aborted because a rank did not come or no tile made
  /// progress; the cells are then undefined, and the object must not sweep again: a GPU that was only slow may still
  /// write to faces that were emptied.
  void check(const core::Stream& stream) const;
  /// Collects the cells of all ranks in `whole`, which rank 0 alone has; returns after completion.
  void gather(std::span<T> whole, const core::Stream& stream) const;

  /// The cells of this rank in device memory: its planes, of ny x nz cells each, in the order in which the grid has
  /// them. None if there are fewer groups than ranks.
  std::span<T> device_cells();
  /// The faces of this rank's tiles along x in device memory. For tests.
  std::span<T> device_faces();
  /// Seconds of all sweeps so far in which this GPU waited for others: until all had come to the sweep, and until the
  /// first values of the preceding GPU had arrived. Waits for the device.
  double exchange_seconds() const;
  /// The automatic choices by name: tiles, groups.
  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class DistributedGpuSweep<float>;
extern template class DistributedGpuSweep<double>;

}  // namespace speedwell::wavefront

// GpuSolver: the sweep on a GPU, with buffers, transfers and execution, for all GPU variants.
//   GpuSolver<float> solver(grid.extents, recurrence);   // allocates
//   solver.upload(grid, stream);  solver.run(stream);  solver.finish(stream);  solver.download(cells, stream);
// Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::wavefront {

template <class T>
class Method;  // gpu/method.hpp

/// Sweeps of a grid in device memory, in T, which is float or double. Every variant gives the bits of sweep() in
/// wavefront.hpp, which has the recurrence and its source.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. Streams are core::Stream, because one of the variants is a CUDA graph,
/// which core::Graph launches.
template <class T>
class GpuSolver {
 public:
  /// Allocates the cells, the inflow planes and the work space of the variant on the current device; their contents are
  /// undefined. `step` is a name of ladder.hpp: "cuda" is the fastest. Throws std::invalid_argument for any other name,
  /// for an invalid recurrence or options, and for extents above 2^30; core::DeviceError if there is no device, or too
  /// little memory.
  explicit GpuSolver(const Extents& extents, const Recurrence<T>& recurrence = {}, const Direction& direction = {},
                     std::string_view step = "cuda", const GpuOptions& options = {});

  /// Copies the cells, nx x ny x nz with z contiguous, and the inflow planes to the device; returns after completion.
  /// The extents must be those of the constructor.
  void upload(const Grid<T>& grid, const core::Stream& stream);
  /// Copies the inflow planes alone, for cells that are written to device_cells(); returns after completion.
  void upload_planes(const Planes<T>& planes, const core::Stream& stream);
  /// Enqueues zero-filling of the cells and the planes: a grid for timings that needs no host data.
  void clear(const core::Stream& stream);
  /// Enqueues one sweep, which updates the cells in place. Another run() sweeps the updated cells again.
  void run(const core::Stream& stream);
  /// Waits for the sweeps. Throws core::DeviceError if one was aborted, because no tile made progress for
  /// TileOptions::timeout; the cells are then undefined.
  void finish(const core::Stream& stream);
  /// Copies the cells, nx x ny x nz of them, to the host; returns after completion.
  void download(std::span<T> cells, const core::Stream& stream) const;

  /// The cells in device memory, nx x ny x nz with z contiguous: what run() reads and overwrites. They may be written
  /// there instead of being uploaded.
  std::span<T> device_cells();

  /// The automatic choices by name: block sizes, tiles.
  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  core::Pimpl<Method<T>> method_;
  core::DeviceBuffer<T> cells_, top_, north_, west_;
};

extern template class GpuSolver<float>;
extern template class GpuSolver<double>;

}  // namespace speedwell::wavefront

// Buffers, upload and download: once for all GPU variants. A C++ user constructs it too:
//   GpuSolver<float> solver(grid.extents, recurrence, direction, "cuda");  solver.allocate();
//   solver.upload(grid, stream);  solver.run(stream);  solver.finish(stream);  solver.download(grid.cells, stream);
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::wavefront {

template <class T>
class Method;  // gpu/method.hpp

template <class T>
class GpuSolver {
 public:
  /// Takes no memory yet. `step` is a name of ladder.hpp. Throws std::invalid_argument for another, for a recurrence or
  /// options that are not valid, and for extents above 2^30.
  GpuSolver(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction, std::string_view step,
            const GpuOptions& options = {});
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Takes the memory, on the current device. Throws core::DeviceError.
  void allocate();
  /// The grid's cells and planes to the device. Returns when they have arrived.
  void upload(const Grid<T>& grid, const core::Stream& stream);
  /// Enqueues zeros for the planes and the cells that a sweep changes: a grid for timing that no host has to make.
  void clear(const core::Stream& stream);
  /// Enqueues a copy of the uploaded cells to where a sweep changes them.
  void reset(const core::Stream& stream);
  /// Overwrites the cells that a sweep changes with 0xff; reset() comes after it.
  void poison(const core::Stream& stream);
  /// Enqueues a sweep of the cells that reset() has put there.
  void run(const core::Stream& stream);
  /// Waits for the sweep. Throws core::DeviceError if it could not finish its work.
  void finish(const core::Stream& stream);
  /// Returns when the cells have arrived.
  void download(core::HostBuffer<T>& cells, const core::Stream& stream);

  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  Extents extents_;
  Direction direction_;
  std::unique_ptr<Method<T>> method_;
  core::DeviceBuffer<T> given_, cells_, top_, north_, west_;
};

}  // namespace speedwell::wavefront

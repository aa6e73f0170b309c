// The sweep on a GPU: buffers, transfers and execution, for all GPU variants. Use from C++:
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
  /// Allocates nothing. `step` is a name of ladder.hpp. Throws std::invalid_argument for any other name, for an invalid
  /// recurrence or options, and for extents above 2^30.
  GpuSolver(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction, std::string_view step,
            const GpuOptions& options = {});
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Allocates the buffers on the current device. Throws core::DeviceError.
  void allocate();
  /// Copies the cells and the inflow planes to the device; returns after completion.
  void upload(const Grid<T>& grid, const core::Stream& stream);
  /// Enqueues zero-filling of the planes and of the cells that a sweep updates: a grid for timings that needs no host
  /// data.
  void clear(const core::Stream& stream);
  /// Enqueues a copy of the uploaded cells to the buffer that a sweep updates.
  void reset(const core::Stream& stream);
  /// Overwrites the cells that a sweep updates with bytes 0xff; call reset() afterwards.
  void poison(const core::Stream& stream);
  /// Enqueues a sweep of the cells that reset() has copied.
  void run(const core::Stream& stream);
  /// Waits for the sweep. Throws core::DeviceError if it was aborted.
  void finish(const core::Stream& stream);
  /// Copies the cells to the host; returns after completion.
  void download(core::HostBuffer<T>& cells, const core::Stream& stream);

  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  Extents extents_;
  Direction direction_;
  std::unique_ptr<Method<T>> method_;
  core::DeviceBuffer<T> given_, cells_, top_, north_, west_;
};

}  // namespace speedwell::wavefront

// One way through a grid that is in device memory. Included by CUDA sources alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::wavefront {

template <class T>
class Method {
 public:
  virtual ~Method() = default;
  /// Takes the memory that it works in, on the current device.
  virtual void allocate(const DeviceGrid<T>& grid) = 0;
  /// Enqueues a sweep of the grid.
  virtual void enqueue(const core::Stream& stream) = 0;
  /// Called when a sweep has ended: throws core::DeviceError if it could not finish its work.
  virtual void check_finished(const core::Stream&) {}
  /// What it chose: block sizes, tiles.
  virtual std::vector<std::pair<std::string, std::string>> choices() const = 0;
};

/// Each throws std::invalid_argument for options that are not possible.
template <class T>
std::unique_ptr<Method<T>> make_naive(const Extents& extents, const Recurrence<T>& recurrence);
template <class T>
std::unique_ptr<Method<T>> make_recycled(const Extents& extents, const Recurrence<T>& recurrence, int block);
/// What the blocks of a grid in the order of hyperplanes are swept by.
enum class Packed { plain, shared, subtraction, graph, cooperative };
template <class T>
std::unique_ptr<Method<T>> make_packed(const Extents& extents, const Recurrence<T>& recurrence, Packed kind, int block);
template <class T>
std::unique_ptr<Method<T>> make_tiles(const Extents& extents, const Recurrence<T>& recurrence,
                                      const TileOptions& options);

}  // namespace speedwell::wavefront

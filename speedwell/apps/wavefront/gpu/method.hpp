// Interface of the GPU methods, which sweep a grid in device memory. Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu/tile_groups.hpp"
#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::wavefront {

template <class T>
class Method {
 public:
  virtual ~Method() = default;
  /// Allocates its work space on the current device.
  virtual void allocate(const DeviceGrid<T>& grid) = 0;
  /// Enqueues a sweep of the grid.
  virtual void enqueue(const core::Stream& stream) = 0;
  /// Called after a sweep: throws core::DeviceError if it was aborted.
  virtual void check_finished(const core::Stream&) {}
  /// The automatic choices: block sizes, tiles.
  virtual std::vector<std::pair<std::string, std::string>> choices() const = 0;
};

/// Each throws std::invalid_argument for invalid options.
template <class T>
std::unique_ptr<Method<T>> make_naive(const Extents& extents, const Recurrence<T>& recurrence);
template <class T>
std::unique_ptr<Method<T>> make_recycled(const Extents& extents, const Recurrence<T>& recurrence, int block);
/// Kernels for blocks in hyperplane order.
enum class PackedKernel { plain, shared, subtraction, graph, cooperative };
template <class T>
std::unique_ptr<Method<T>> make_packed(const Extents& extents, const Recurrence<T>& recurrence, PackedKernel kind,
                                       int block);
template <class T>
std::unique_ptr<Method<T>> make_tiles(const Extents& extents, const Recurrence<T>& recurrence,
                                      const TileOptions& options);

/// What tiles of one GPU of several know of the others (tile_groups.hpp). Pointers are as kernels of this GPU address
/// the memory.
template <class T>
struct TileLinks {
  TilePlan plan;      // of this GPU
  TileGroups groups;  // of all
  int gpu = 0;
  T* west = nullptr;  // west_cells() values that the preceding GPU writes, too
  T* next_west = nullptr;
  unsigned long long* waited = nullptr;  // nanoseconds, to which those of each sweep are added
};
/// Values of all faces along x of the tiles of a plan.
inline std::size_t west_cells(const TilePlan& plan) {
  return static_cast<std::size_t>(plan.tiles()) * static_cast<std::size_t>(plan.cells) *
         static_cast<std::size_t>(plan.west_vectors());
}
/// `whole`: the plan of the whole grid. The faces `links.west` are set to empty by allocate(), before which no other
/// GPU may begin a sweep; and no GPU may begin a sweep before all have finished the preceding one.
template <class T>
std::unique_ptr<Method<T>> make_linked_tiles(const TilePlan& whole, std::int64_t nz, const Recurrence<T>& recurrence,
                                             const TileOptions& options, const TileLinks<T>& links);

}  // namespace speedwell::wavefront

#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/wavefront/gpu/method.hpp"
#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
std::unique_ptr<Method<T>> method_of(std::string_view step, const Extents& extents, const Recurrence<T>& recurrence,
                                     const GpuOptions& options) {
  require_valid(extents);
  require_valid(recurrence);
  if (std::max({extents.nx, extents.ny, extents.nz}) > max_gpu_extent)
    throw std::invalid_argument("on a GPU extents must not exceed 2^30");
  const int block = options.block > 0 ? options.block : default_block;
  if (block != 8 && block != 16 && block != 32)
    throw std::invalid_argument("the edge length of a block must be 8, 16 or 32");
  const auto packed = [&](PackedKernel kind) { return make_packed<T>(extents, recurrence, kind, block); };
  if (step == "cuda-naive") return make_naive<T>(extents, recurrence);
  if (step == "cuda-recycled") return make_recycled<T>(extents, recurrence, block);
  if (step == "cuda-rearranged") return packed(PackedKernel::plain);
  if (step == "cuda-shared") return packed(PackedKernel::shared);
  if (step == "cuda-subtraction") return packed(PackedKernel::subtraction);
  if (step == "cuda-graph") return packed(PackedKernel::graph);
  if (step == "cuda-cooperative") return packed(PackedKernel::cooperative);
  if (step == "cuda") return make_tiles<T>(extents, recurrence, options.tiles);
  throw std::invalid_argument("'" + std::string(step) + "' is not a GPU variant of wavefront");
}

}  // namespace

template <class T>
GpuSolver<T>::GpuSolver(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction,
                        std::string_view step, const GpuOptions& options)
    : method_(method_of(step, extents, recurrence, options)),
      cells_(static_cast<std::size_t>(extents.cells())),
      top_(static_cast<std::size_t>(extents.nx * extents.ny)),
      north_(static_cast<std::size_t>(extents.nx * extents.nz)),
      west_(static_cast<std::size_t>(extents.ny * extents.nz)) {
  method_->allocate(device_grid<T>(extents, direction, cells_.data(), top_.data(), north_.data(), west_.data()));
}

template <class T>
void GpuSolver<T>::upload(const Grid<T>& grid, const core::Stream& stream) {
  core::copy_async(cells_.data(), grid.cells.data(), cells_.size(), stream);
  upload_planes(grid.planes, stream);
}
template <class T>
void GpuSolver<T>::upload_planes(const Planes<T>& planes, const core::Stream& stream) {
  core::copy_async(top_.data(), planes.top.data(), top_.size(), stream);
  core::copy_async(north_.data(), planes.north.data(), north_.size(), stream);
  core::copy_async(west_.data(), planes.west.data(), west_.size(), stream);
  stream.synchronize();
}

template <class T>
void GpuSolver<T>::clear(const core::Stream& stream) {
  for (core::DeviceBuffer<T>* values : {&cells_, &top_, &north_, &west_}) core::fill_bytes_async(*values, 0, stream);
}
template <class T>
void GpuSolver<T>::run(const core::Stream& stream) {
  method_->enqueue(stream);
}
template <class T>
void GpuSolver<T>::finish(const core::Stream& stream) {
  stream.synchronize();
  method_->check_finished(stream);
}
template <class T>
void GpuSolver<T>::download(std::span<T> cells, const core::Stream& stream) const {
  core::copy_async(cells.data(), cells_.data(), cells_.size(), stream);
  stream.synchronize();
}
template <class T>
std::span<T> GpuSolver<T>::device_cells() {
  return cells_.span();
}
template <class T>
std::vector<std::pair<std::string, std::string>> GpuSolver<T>::choices() const {
  return method_->choices();
}

template class GpuSolver<float>;
template class GpuSolver<double>;

}  // namespace speedwell::wavefront

// What gpu_vector_calculus.hpp is made of: the memory of fields, and the launches of assignments and totals. For CUDA
// sources only.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "speedwell/apps/vector_calculus/contract.hpp"
#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/totals.hpp"

namespace speedwell::vector_calculus::device {

/// Words of device memory that are 0; waits.
template <class T>
core::DeviceBuffer<T> zeros(std::int64_t words) {
  core::DeviceBuffer<T> all(static_cast<std::size_t>(words));
  core::check(cudaMemset(all.data(), 0, all.bytes()));
  core::check(cudaDeviceSynchronize());
  return all;
}

/// Base of scalar and vector fields.
template <class T, int components>
class Field {
 public:
  /// Uninitialised. Throws std::invalid_argument as require_grid(), core::DeviceError.
  explicit Field(const Grid& grid)
      : grid_((require_grid(grid), grid)), values_(static_cast<std::size_t>(components * grid.size())) {}
  const Grid& grid() const { return grid_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

  /// Copies all values from or to host memory, in the field's layout; asynchronous if that is page-locked. Throws
  /// std::invalid_argument for another number of values, core::DeviceError.
  void upload(std::span<const T> from, const core::Stream& stream) {
    require_size(from.size());
    core::copy_async(values_.data(), from.data(), values_.size(), stream);
  }
  void download(std::span<T> to, const core::Stream& stream) const {
    require_size(to.size());
    core::copy_async(to.data(), values_.data(), values_.size(), stream);
  }

 protected:
  Grid grid_;
  core::DeviceBuffer<T> values_;

 private:
  void require_size(std::size_t size) const {
    if (size != values_.size())
      throw std::invalid_argument("vector_calculus: " + std::to_string(size) + " values for a field of " +
                                  std::to_string(values_.size()));
  }
};

template <int components, Layout layout, class E, class T>
void assign(T* out, const Grid& grid, const E& e, const core::Stream& stream) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::device, "the expression's fields are not in device memory");
  require_assignable(e, grid, out, components, layout);
  evaluate<components, layout>(e, out, grid, stream);
}

/// Waits. The arguments have been checked.
template <class E, class T>
Totals totals_of_planes(const E& e, const PlaneRange<T>& planes, const core::Stream& stream) {
  core::DeviceBuffer<Totals> on_device(device::totals_blocks);
  const auto kernel =
      E::reach > 0 && planes.sided ? device::totals_kernel<true, E, T> : device::totals_kernel<false, E, T>;
  kernel<<<device::totals_blocks, device::totals_threads, 0, stream.get()>>>(
      from_point(e, planes.base * planes.plane_points()), planes.frame, on_device.data(),
      planes.begin * planes.frame.ny, planes.end * planes.frame.ny);
  core::check(cudaGetLastError());
  std::vector<Totals> parts(device::totals_blocks);
  core::copy_async(parts.data(), on_device.data(), parts.size(), stream);
  stream.synchronize();
  return combined(parts);
}

template <class E>
Totals totals_of(const E& e, const core::Stream& stream) {
  using T = typename E::Real;
  static_assert(E::components == 1, "totals() are of a scalar");
  static_assert(E::memory_space == MemorySpace::device, "the expression's fields are not in device memory");
  const Grid& grid = grid_of(e);
  require_on_grid(e, grid);
  return totals_of_planes(e, all_planes<T>(grid), stream);
}

}  // namespace speedwell::vector_calculus::device

// Vector calculus on a grid in device memory: the public interface. For CUDA sources only.
//   GpuVectorField<double> b(grid), force(grid);
//   b.upload(values, stream);
//   assign(force, cross(curl(b), b), stream);     // one kernel: b is read once, force written once
// The operators are those of vector_calculus.hpp.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/vector_calculus/contract.hpp"
#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/totals.hpp"

namespace speedwell::vector_calculus {

namespace device {
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
}  // namespace device

/// A number at every point of a grid.
template <class T>
class GpuScalarField : public device::Field<T, 1> {
 public:
  using device::Field<T, 1>::Field;
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::device> leaf() const { return {this->data(), &this->grid_}; }
};

/// Three components at every point.
template <class T, Layout layout = Layout::soa>
class GpuVectorField : public device::Field<T, 3> {
 public:
  using device::Field<T, 3>::Field;
  VectorLeaf<T, layout, MemorySpace::device> leaf() const { return {this->data(), &this->grid_}; }
};

namespace device {
template <int components, Layout layout, class E, class T>
void assign(T* out, const Grid& grid, const E& e, const core::Stream& stream) {
  static_assert(std::is_same_v<typename E::Real, T>, "the result is in another precision than the expression");
  static_assert(E::components == components, "a vector is assigned to a scalar field, or a scalar to a vector field");
  static_assert(E::memory_space == MemorySpace::device, "the expression's fields are not in device memory");
  require_assignable(e, grid, out, components, layout);
  evaluate<components, layout>(e, out, grid, stream);
}
}  // namespace device

/// Enqueues out = e at every point as one kernel. Throws std::invalid_argument for another grid, for one too small
/// (require_grid()), and if `out` overlaps a field whose neighbours are read; core::DeviceError.
template <class T, Operand E>
void assign(GpuScalarField<T>& out, const E& e, const core::Stream& stream) {
  device::assign<1, Layout::soa>(out.data(), out.grid(), expression(e), stream);
}
template <class T, Layout layout, Operand E>
void assign(GpuVectorField<T, layout>& out, const E& e, const core::Stream& stream) {
  device::assign<3, layout>(out.data(), out.grid(), expression(e), stream);
}

/// Totals of a scalar field or expression. Waits for the result, which has the same bits in every call. Throws
/// std::invalid_argument as assign(), core::DeviceError.
template <Operand Field>
Totals totals(const Field& field, const core::Stream& stream) {
  const auto e = expression(field);
  using E = std::remove_cvref_t<decltype(e)>;
  using T = typename E::Real;
  static_assert(E::components == 1, "totals() are of a scalar");
  static_assert(E::memory_space == MemorySpace::device, "the expression's fields are not in device memory");
  const Grid& grid = grid_of(e);
  require_on_grid(e, grid);
  core::DeviceBuffer<Totals> on_device(device::totals_blocks);
  const auto kernel = E::reach > 0 && grid.boundary == Boundary::one_sided ? device::totals_kernel<true, E, T>
                                                                           : device::totals_kernel<false, E, T>;
  kernel<<<device::totals_blocks, device::totals_threads, 0, stream.get()>>>(e, frame_of<T>(grid), on_device.data());
  core::check(cudaGetLastError());
  std::vector<Totals> parts(device::totals_blocks);
  core::copy_async(parts.data(), on_device.data(), parts.size(), stream);
  stream.synchronize();
  return combined(parts);
}

}  // namespace speedwell::vector_calculus

// Fields in host memory: values at the points of a grid, of type T, which is float or double. They own their memory,
// and can be moved.
//   ScalarField<double> p({.nx = 64, .ny = 64, .nz = 64});
//   p(0, 1, 2) = 3.5;                                   // i, j, k: x is contiguous
#pragma once

#include <span>

#include "speedwell/apps/vector_calculus/expression.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::vector_calculus {

/// A number at every point of a grid. Point (i, j, k), counted from 0 along x, y and z, is value (k ny + j) nx + i.
template <class T>
class ScalarField {
 public:
  /// The values are uninitialised, so that the threads that write them first decide where their pages are. Throws
  /// std::invalid_argument as require_grid(), and std::bad_alloc.
  explicit ScalarField(const Grid& grid)
      : grid_((require_grid(grid), grid)), values_(static_cast<std::size_t>(grid.size()), core::Pages::large) {}
  /// The extents, spacings and boundary of the grid.
  const Grid& grid() const { return grid_; }
  /// All values: grid().size() of them.
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  /// The value at a point; indices are not checked.
  T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) { return values_[at(i, j, k)]; }
  const T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const { return values_[at(i, j, k)]; }
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::host> leaf() const { return {values_.data(), &grid_}; }

 private:
  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((k * grid_.ny + j) * grid_.nx + i);
  }
  Grid grid_;
  core::HostBuffer<T> values_;  // in large pages
};

/// Three components, 0 to 2, at every point; otherwise as ScalarField. Layout::soa stores one component after the
/// other, each in the order of a ScalarField, and Layout::aos the three components of a point together.
template <class T, Layout layout = Layout::soa>
class VectorField {
 public:
  /// The values are uninitialised. Throws as ScalarField.
  explicit VectorField(const Grid& grid)
      : grid_((require_grid(grid), grid)), values_(static_cast<std::size_t>(3 * grid.size()), core::Pages::large) {}
  const Grid& grid() const { return grid_; }
  /// All values: 3 grid().size() of them, in the order of the layout.
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  /// A component at a point; indices are not checked.
  T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) {
    return values_[at(component, i, j, k)];
  }
  const T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values_[at(component, i, j, k)];
  }
  /// The field in an expression, which must not outlive it.
  VectorLeaf<T, layout, MemorySpace::host> leaf() const { return {values_.data(), &grid_}; }

 private:
  std::size_t at(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t point = (k * grid_.ny + j) * grid_.nx + i;
    return static_cast<std::size_t>(layout == Layout::aos ? 3 * point + component : component * grid_.size() + point);
  }
  Grid grid_;
  core::HostBuffer<T> values_;
};

}  // namespace speedwell::vector_calculus

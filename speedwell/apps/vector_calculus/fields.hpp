// Fields in host memory.
#pragma once

#include <span>

#include "speedwell/apps/vector_calculus/expression.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::vector_calculus {

/// A number at every point of a grid. Uninitialised. Throws std::invalid_argument as require_grid(), std::bad_alloc.
template <class T>
class ScalarField {
 public:
  explicit ScalarField(const Grid& grid)
      : grid_((require_grid(grid), grid)), values_(static_cast<std::size_t>(grid.size()), core::Pages::large) {}
  const Grid& grid() const { return grid_; }
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) { return values_[at(i, j, k)]; }
  const T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const { return values_[at(i, j, k)]; }
  /// The field in an expression, which must not outlive it.
  ScalarLeaf<T, MemorySpace::host> leaf() const { return {values_.data(), &grid_}; }

 private:
  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((k * grid_.ny + j) * grid_.nx + i);
  }
  Grid grid_;
  core::HostBuffer<T> values_;
};

/// Three components, 0 to 2, at every point; otherwise as ScalarField.
template <class T, Layout layout = Layout::soa>
class VectorField {
 public:
  explicit VectorField(const Grid& grid)
      : grid_((require_grid(grid), grid)), values_(static_cast<std::size_t>(3 * grid.size()), core::Pages::large) {}
  const Grid& grid() const { return grid_; }
  std::span<T> values() { return values_.span(); }
  std::span<const T> values() const { return values_.span(); }
  T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) {
    return values_[at(component, i, j, k)];
  }
  const T& operator()(int component, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values_[at(component, i, j, k)];
  }
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

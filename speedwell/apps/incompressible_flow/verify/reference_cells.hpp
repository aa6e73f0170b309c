// The arrays of the reference.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "speedwell/core/large_vector.hpp"

namespace speedwell::incompressible_flow::reference {

/// Memory in large pages that all threads have touched. A vector fills its elements on one thread, and the system needs
/// longer to provide the pages of a large mesh to one thread than all threads need for a step.
template <class T>
struct TouchedPages : core::LargePageAllocator<T> {
  TouchedPages() = default;
  template <class Other>
  TouchedPages(const TouchedPages<Other>&) {}

  /// Memory of `count` elements. Throws std::bad_alloc, also for a size that no memory has.
  T* allocate(std::size_t count) {
    T* const memory = core::LargePageAllocator<T>::allocate(count);
    constexpr std::size_t step = 4096 / sizeof(T);  // a page, where the system has no large ones
#pragma omp parallel for if (count > 256 * step)
    for (std::size_t i = 0; i < count; i += step) memory[i] = T();
    return memory;
  }
};

/// One number for each cell of a mesh, along x first.
using Cells = std::vector<double, TouchedPages<double>>;
/// Three fields on the faces of the three axes.
using Faces = std::array<Cells, 3>;

}  // namespace speedwell::incompressible_flow::reference

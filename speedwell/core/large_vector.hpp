// LargeVector: a std::vector in large pages. With ordinary ones the system needs more time to provide a gigabyte, page
// by page on one thread, than all threads need to compute what it holds.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::core {

/// An allocator of memory aligned to 4096 bytes, in pages of 2 MiB from 4 MiB on where the system has them.
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}

  /// Memory of `count` elements. Throws std::bad_alloc, also for a size that no memory has.
  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(detail::allocate_pages(count * sizeof(T), Pages::large));
  }
  void deallocate(T* memory, std::size_t) noexcept { detail::free_pages(memory); }
  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }
};

/// For arrays of a whole problem that are copied or assigned as a vector is. HostBuffer is for arrays that threads
/// write first.
template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace speedwell::core

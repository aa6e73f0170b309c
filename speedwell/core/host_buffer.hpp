// HostBuffer: host memory that is not touched when it is allocated, so that the first thread that writes a page
// determines its NUMA node. std::vector would touch every page from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace speedwell::core {

/// The page size that a buffer requests. Large pages (2 MiB on x86-64; ordinary ones if the system has none) avoid most
/// TLB misses of long arrays.
enum class Pages { ordinary, large };

namespace detail {
/// `bytes` > 0 of memory, aligned to 4096 bytes or more. Throws std::bad_alloc.
void* allocate_pages(std::size_t bytes, Pages pages);
/// Frees what allocate_pages() returned, and nothing for null.
void free_pages(void* memory) noexcept;
}  // namespace detail

/// Owns `size` uninitialised elements, aligned to 4096 bytes. It can be moved and not copied; a moved-from one is
/// empty.
template <class T>
class HostBuffer {
  static_assert(std::is_trivial_v<T>, "elements are neither constructed nor destroyed");

 public:
  /// The alignment of the first element, in bytes.
  static constexpr std::size_t alignment = 4096;

  /// Without elements.
  HostBuffer() = default;
  /// Allocates without touching the memory; no memory for 0 elements. Throws std::bad_alloc, also for a size that no
  /// memory has.
  explicit HostBuffer(std::size_t size, Pages pages = Pages::ordinary) : size_(size) {
    if (size > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    if (size > 0) data_ = static_cast<T*>(detail::allocate_pages(size * sizeof(T), pages));
  }
  HostBuffer(HostBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~HostBuffer() { detail::free_pages(data_); }

  /// The first element; null if there is none.
  T* data() { return data_; }
  const T* data() const { return data_; }
  /// Number of elements, and of their bytes.
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  /// Element i < size(), which is not checked.
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  /// For loops over all elements.
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  /// All elements.
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace speedwell::core

// Owners of device memory, pinned memory, streams and events: no other file creates these. For CUDA sources only.
//   const Stream stream;
//   DeviceBuffer<double> x(n);                          // uninitialised, on the current device
//   copy_async(x.data(), host.data(), n, stream);       // enqueued
//   kernel<<<blocks, threads, 0, stream.get()>>>(x.data());
//   check(cudaGetLastError());
//   stream.synchronize();
// A program that has a cudaStream_t passes Stream::borrow(it) in place of a stream of its own.
// Owners belong to the device that is current at their construction. They can be moved and not copied. Sizes are
// numbers of elements, bytes() are bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/core/host_device.hpp"
#include "speedwell/core/view.hpp"

namespace speedwell::core {

/// Throws DeviceError with the source location and CUDA's message unless `status` is success. An error that does not
/// end the context, such as too little memory, is cleared.
inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // clear a non-sticky error, so that it is not reported by the next call
  throw DeviceError(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " + cudaGetErrorString(status));
}

/// Number of GPUs that this process may use; 0 without a driver or a device.
inline int device_count() {
  int count = 0;
  // Without a driver this fails, which is no error of the program.
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return count;
}
/// Whether there is a GPU that this process may use.
inline bool have_device() { return device_count() > 0; }

/// An attribute of the current device, such as cudaDevAttrMultiProcessorCount. Throws DeviceError.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// A stream: work that is enqueued on it is done in its order, beside that of other streams. One that is created here
/// is not ordered with the default stream.
class Stream {
 public:
  /// Creates a stream on the current device. Throws DeviceError.
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  /// A stream that the caller created and that is not destroyed here: work that is enqueued through this object is
  /// ordered with the caller's own work on that stream. It must exist as long as this object and as objects that were
  /// given this one, and its device must be current in calls that take it. Any stream may be borrowed, also the default
  /// stream (0 or cudaStreamPerThread); but CUDA captures no graph from stream 0, so that classes that launch graphs
  /// throw DeviceError. Nothing is checked here: a stream that does not exist is an error of the calls that use it, and
  /// an error of the caller's earlier work is thrown by the call that notices it first.
  static Stream borrow(cudaStream_t stream) noexcept { return Stream(stream, false); }
  Stream(Stream&& other) noexcept
      : stream_(std::exchange(other.stream_, nullptr)), is_owner_(std::exchange(other.is_owner_, false)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(is_owner_, other.is_owner_);
    return *this;
  }
  ~Stream() {
    if (is_owner_) cudaStreamDestroy(stream_);
  }
  /// For CUDA's own functions and for launches.
  cudaStream_t get() const { return stream_; }
  /// Waits for all work that was enqueued before. Throws DeviceError for an error of that work, too.
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }

 private:
  Stream(cudaStream_t stream, bool is_owner) noexcept : stream_(stream), is_owner_(is_owner) {}
  cudaStream_t stream_ = nullptr;  // null: moved from, or the default stream
  bool is_owner_ = true;           // whether the destructor destroys it
};

/// An event in a stream, with its time. It is reached when the work that was enqueued before it is done.
class Event {
 public:
  /// Creates an event on the current device. Throws DeviceError.
  Event() { check(cudaEventCreate(&event_)); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  /// For CUDA's own functions.
  cudaEvent_t get() const { return event_; }
  /// Enqueues the event; it replaces the one that was recorded before. Throws DeviceError.
  void record(const Stream& stream) { check(cudaEventRecord(event_, stream.get())); }
  /// Waits until the event is reached. Throws DeviceError.
  void synchronize() const { check(cudaEventSynchronize(event_)); }
  /// Seconds from `begin` to this event; both must have been reached.
  double seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;  // null: moved from
};

namespace detail {
/// Memory of the current device.
struct DeviceMemory {
  /// `bytes` > 0, aligned to 256 bytes at least. Throws DeviceError.
  static void* allocate(std::size_t bytes) {
    void* p = nullptr;
    check(cudaMalloc(&p, bytes));
    return p;
  }
  static void release(void* p) { cudaFree(p); }
};
/// Page-locked memory of the host, which copies reach without a staging buffer.
struct PinnedMemory {
  static void* allocate(std::size_t bytes) {
    void* p = nullptr;
    check(cudaMallocHost(&p, bytes));
    return p;
  }
  static void release(void* p) { cudaFreeHost(p); }
};
/// Page-locked memory that the host should not read: its reads are not cached.
struct WriteCombinedMemory {
  static void* allocate(std::size_t bytes) {
    void* p = nullptr;
    check(cudaHostAlloc(&p, bytes, cudaHostAllocWriteCombined));
    return p;
  }
  static void release(void* p) { cudaFreeHost(p); }
};

/// An array in one of these kinds of memory; the names below are for users.
template <class T, class Memory>
class CudaBuffer {
 public:
  /// Without elements.
  CudaBuffer() = default;
  /// Allocates `size` uninitialised elements; none for 0. Throws DeviceError if there is too little memory, and
  /// std::bad_array_new_length for a size that no memory has.
  explicit CudaBuffer(std::size_t size) : size_(size) {
    if (size > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_array_new_length();
    if (size > 0) data_ = static_cast<T*>(Memory::allocate(size * sizeof(T)));
  }
  CudaBuffer(CudaBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CudaBuffer() {
    if (data_) Memory::release(data_);
  }
  /// The first element; null if there is none.
  T* data() { return data_; }
  const T* data() const { return data_; }
  /// Number of elements.
  std::size_t size() const { return size_; }
  /// size() * sizeof(T).
  std::size_t bytes() const { return size_ * sizeof(T); }
  /// All elements. Those of device memory are not to be read or written by the host.
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;  // elements
};
}  // namespace detail

/// Owns `size` uninitialised elements in the memory of the current device. Throws DeviceError.
template <class T>
using DeviceBuffer = detail::CudaBuffer<T, detail::DeviceMemory>;

/// Owns `size` uninitialised elements of page-locked host memory. Throws DeviceError.
template <class T>
using PinnedBuffer = detail::CudaBuffer<T, detail::PinnedMemory>;

/// The same with write-combined memory, for data that the host writes and only the device reads. Throws DeviceError.
template <class T>
using WriteCombinedBuffer = detail::CudaBuffer<T, detail::WriteCombinedMemory>;

namespace detail {
/// Copies of fewer bytes are the driver's.
inline constexpr std::size_t min_staged_bytes = std::size_t{16} << 20;
/// In stream order, and see staged_copy.hpp. Returns false, without a copy, if the copy is not between pageable host
/// memory and the current device, if there is one thread only, or if the stream captures a graph. Throws DeviceError.
bool copy_staged(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
}  // namespace detail

/// Enqueues a copy of `size` elements on `stream` by one call of the driver, between host and device in either
/// direction, or within one of them. Both arrays must exist until the stream has done it, and what is copied to the
/// host is there when the stream has been synchronised. Throws DeviceError.
template <class T>
void copy_by_driver_async(T* to, const T* from, std::size_t size, const Stream& stream) {
  check(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDefault, stream.get()));
}
/// The same. From 16 MiB on, copies between pageable host memory and the current device go through page-locked buffers
/// that all threads of OpenMP fill or empty (32 MiB for each device, which stay); such a call returns when the host
/// memory has been read or written. Throws DeviceError.
template <class T>
void copy_async(T* to, const T* from, std::size_t size, const Stream& stream) {
  const std::size_t bytes = size * sizeof(T);
  if (bytes >= detail::min_staged_bytes && detail::copy_staged(to, from, bytes, stream.get())) return;
  copy_by_driver_async(to, from, size, stream);
}
/// Enqueues that every byte of `buffer` becomes `byte`; nothing for an empty buffer. Throws DeviceError.
template <class T>
void fill_bytes_async(DeviceBuffer<T>& buffer, unsigned char byte, const Stream& stream) {
  if (buffer.bytes() > 0) check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes(), stream.get()));
}

/// Blocks of `threads` that cover `size` items in one dimension: size / threads, rounded up. For the grid of a launch;
/// threads of the last block may have no item.
SPEEDWELL_HD
constexpr std::int64_t blocks_for(std::int64_t size, int threads) { return (size + threads - 1) / threads; }

}  // namespace speedwell::core

// x and y in device memory, for solvers of y = A x and A y = x that the harness measures. Included by CUDA sources
// only.
#pragma once

#include <cstddef>
#include <span>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::stencil {

template <class T>
class DeviceVectors {
 public:
  /// `x` is in host memory and must outlive this object; y has `size` elements.
  DeviceVectors(std::span<const T> x, std::size_t size) : from_(x), size_(size) {}

  void allocate() {
    x_ = core::DeviceBuffer<T>(from_.size());
    y_ = core::DeviceBuffer<T>(size_);
  }
  /// Copies x to the device; synchronises.
  void upload(const core::Stream& stream) {
    core::copy_async(x_.data(), from_.data(), x_.size(), stream);
    stream.synchronize();
  }
  /// Makes every element of y a NaN.
  void poison(const core::Stream& stream) { core::fill_bytes_async(y_, 0xff, stream); }
  /// Copies y to the host; synchronises.
  void download(core::HostBuffer<T>& to, const core::Stream& stream) {
    core::copy_async(to.data(), y_.data(), y_.size(), stream);
    stream.synchronize();
  }

 protected:
  const T* x() const { return x_.data(); }
  T* y() { return y_.data(); }
  void clear_y(const core::Stream& stream) { core::fill_bytes_async(y_, 0, stream); }

 private:
  std::span<const T> from_;
  std::size_t size_;
  core::DeviceBuffer<T> x_, y_;
};

}  // namespace speedwell::stencil

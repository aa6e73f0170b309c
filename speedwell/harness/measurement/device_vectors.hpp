// Input and output vector in device memory: the base of solvers on a GPU that read one array x of the workload and
// write one array y, for device_solver(). Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <span>

#include "speedwell/core/cuda.hpp"

namespace speedwell::harness {

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
  /// Fills y with 0xff bytes, so that every element is a NaN.
  void poison(const core::Stream& stream) { core::fill_bytes_async(y_, 0xff, stream); }
  /// Copies y to `to` on the host, a container of as many elements; synchronises.
  template <class Host>
  void download(Host& to, const core::Stream& stream) {
    core::copy_async(to.data(), static_cast<const T*>(y_.data()), y_.size(), stream);
    stream.synchronize();
  }

 protected:
  const T* x() const { return x_.data(); }
  T* y() { return y_.data(); }
  std::span<T> x_span() { return x_.span(); }
  std::span<T> y_span() { return y_.span(); }
  void clear_y(const core::Stream& stream) { core::fill_bytes_async(y_, 0, stream); }

 private:
  std::span<const T> from_;
  std::size_t size_;
  core::DeviceBuffer<T> x_, y_;
};

}  // namespace speedwell::harness

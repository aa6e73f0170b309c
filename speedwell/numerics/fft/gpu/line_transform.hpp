// Batched one-dimensional complex Fourier transforms of lines on a GPU, for any length and any layout of the lines. For
// CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/gpu/device/line_layout.hpp"

namespace speedwell::fft::gpu {

/// The operands of a batch of transforms. T is float or double.
template <class T>
struct Job {
  const Complex<T>* in = nullptr;
  Complex<T>* out = nullptr;  // may be `in` if the layouts are equal
  std::int64_t lines = 0;     // number of lines
  LineLayout in_layout, out_layout;
  T sign_in = 1, sign_out = 1;  // -1 conjugates the input or the output; -1 for both makes an inverse transform
  T scale = 1;                  // factor of the output
};

/// A forward transform, without normalisation, of lines of one length.
template <class T>
class LineTransform {
 public:
  virtual ~LineTransform() = default;
  /// Enqueues the transforms of `job` on `stream`. `work` is a workspace of work_points() elements
  /// (gpu/method.hpp) in device memory.
  virtual void run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const = 0;
};

/// Creates the transform of lines of n >= 1 points and copies its tables of roots of unity to the device.
template <class T>
std::unique_ptr<LineTransform<T>> make_line_transform(std::int64_t n, const core::Stream& stream);

/// Copies a table to a new buffer on the device, and waits for the copy.
template <class T>
core::DeviceBuffer<Complex<T>> on_device(const std::vector<std::complex<T>>& values, const core::Stream& stream) {
  core::DeviceBuffer<Complex<T>> table(values.size());
  core::copy_async(table.data(), reinterpret_cast<const Complex<T>*>(values.data()), values.size(), stream);
  stream.synchronize();  // `values` may be freed after the call
  return table;
}

}  // namespace speedwell::fft::gpu

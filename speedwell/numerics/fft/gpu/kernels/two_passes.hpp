// Transforms of arrays of 256^3 points in two passes over memory, for GPUs with thread block clusters. Included by CUDA
// sources only.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/complex.hpp"

namespace speedwell::fft::gpu {

/// Whether the current device supports clusters.
bool supports_two_passes();

template <class T>
class TwoPasses {
 public:
  explicit TwoPasses(const core::Stream& stream);

  /// Enqueues the transform of one array from `in` to `out`, which may be identical. A sign of -1 conjugates input and
  /// output. `work` has two_pass_points elements.
  void run(const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work, const core::Stream& stream) const;

 private:
  core::DeviceBuffer<Complex<T>> rows_, columns_, roots_;  // twiddles within the tiles, and between them
};

}  // namespace speedwell::fft::gpu

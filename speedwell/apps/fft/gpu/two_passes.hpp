// Arrays of 256^3 points in two passes over memory, for GPUs whose blocks reach each other's shared memory. Included by
// CUDA sources alone.
#pragma once

#include "speedwell/apps/fft/gpu/complex.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft::gpu {

/// Whether the current device has clusters of blocks.
bool supports_two_passes();

template <class T>
class TwoPasses {
 public:
  explicit TwoPasses(const core::Stream& stream);

  /// Enqueues the transform of one array, `in` to `out`, which may be the same; conjugated on the way in and on the way
  /// out where sign is -1. `work` has two_pass_points.
  void run(const Complex<T>* in, Complex<T>* out, T sign, T scale, Complex<T>* work, const core::Stream& stream) const;

 private:
  core::DeviceBuffer<Complex<T>> rows_, columns_, roots_;  // tables of the tiles, and between them
};

}  // namespace speedwell::fft::gpu

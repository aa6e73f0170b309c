// The operator of blocks7.hpp on a GPU. Solve with it by numerics::GpuBicgstab of numerics/gpu_bicgstab.hpp.
#pragma once

#include "speedwell/apps/blast_wave/blocks7.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

class GpuBlocks7 {
 public:
  /// A copy on the current device. Returns when it is there. Throws core::DeviceError.
  GpuBlocks7(const Blocks7& blocks, const core::Stream& stream);
  /// Enqueues y = A x, both of Blocks7::vector_size() in device memory.
  void multiply(const double* x, double* y, const core::Stream& stream) const;

 private:
  Extents extents_;
  std::size_t stride_;
  core::DeviceBuffer<double> blocks_;
};

}  // namespace speedwell::blast_wave

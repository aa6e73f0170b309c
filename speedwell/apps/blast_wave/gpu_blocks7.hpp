// GpuBlocks7: the operator of blocks7.hpp on a GPU. numerics::GpuBicgstab of numerics/gpu_bicgstab.hpp solves systems
// with it.
#pragma once

#include "speedwell/apps/blast_wave/blocks7.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

class GpuBlocks7 {
 public:
  /// Copies the blocks to the current device, and waits. Throws core::DeviceError.
  GpuBlocks7(const Blocks7& blocks, const core::Stream& stream);
  /// Enqueues y = A x, both of Blocks7::vector_size() in device memory.
  void multiply(const double* x, double* y, const core::Stream& stream) const;

 private:
  Extents extents_;
  std::size_t stride_;
  core::DeviceBuffer<double> blocks_;
};

}  // namespace speedwell::blast_wave

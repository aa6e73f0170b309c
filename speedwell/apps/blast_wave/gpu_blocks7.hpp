// GpuBlocks7: the operator of blocks7.hpp on a GPU. krylov::GpuBicgstab of numerics/krylov/gpu_bicgstab.hpp solves
// systems with it.
#pragma once

#include "speedwell/apps/blast_wave/blocks7.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

/// A matrix of 5x5 blocks on a grid in device memory, one block for each point and each of its six neighbours, in
/// double precision. It belongs to the device that is current at its construction, and owns its memory there.
class GpuBlocks7 {
 public:
  /// Copies the blocks to the current device, and waits; `blocks` need not outlive the constructor. Throws
  /// core::DeviceError.
  GpuBlocks7(const Blocks7& blocks, const core::Stream& stream);
  /// Enqueues y = A x, without waiting. x and y have Blocks7::vector_size() elements in device memory, in the layout of
  /// those of Blocks7::multiply(), and must not overlap; y is overwritten. Any number of streams may do so at a time.
  /// Throws core::DeviceError if the launch fails.
  void multiply(const double* x, double* y, const core::Stream& stream) const;

 private:
  Extents extents_;
  std::size_t stride_;
  core::DeviceBuffer<double> blocks_;
};

}  // namespace speedwell::blast_wave

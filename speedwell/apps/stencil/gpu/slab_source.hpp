// The source of march_kernel (march.hpp) for a slab whose neighbouring planes other GPUs store in this GPU's memory,
// and the launch of kernels that wait for these planes. Included by CUDA sources only.
#pragma once

#include <cstddef>

#include "speedwell/comm/gpu/halo_arrival.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil::device {

/// The source that reads one field of a slab, as Plain of march.hpp does of a box, and the two planes next to the slab
/// from where the neighbours store them. A kernel with such a source is launched by launch_overlapped(), directly after
/// DeviceHaloExchange::push() on the same stream, so that it computes inner planes during the exchange.
template <class T>
struct SlabPlain {
  static constexpr int fields = 1;
  const T* field[fields];             // the slab's own planes
  comm::HaloArrival<T> below, above;  // empty at an end of the box
  __device__ void begin() {}
  __device__ T combined(const T (&v)[fields]) const { return v[0]; }
};
/// Whether a source has planes of neighbours.
template <class Source>
constexpr bool is_slab = false;
template <class T>
constexpr bool is_slab<SlabPlain<T>> = true;

/// Waits for the planes of the neighbours that a block reads. To be called by all threads of the block, before any of
/// them reads one.
template <class T>
__device__ inline void wait_for_planes(const comm::HaloArrival<T>& below, const comm::HaloArrival<T>& above,
                                       bool reads_below, bool reads_above) {
  if (!(reads_below && below.data) && !(reads_above && above.data)) return;
#if __CUDA_ARCH__ >= 900
  // Kernels after this one may overwrite what push() reads: this kernel must not end before push().
  cudaGridDependencySynchronize();
#endif
  if (threadIdx.x == 0) {
    if (reads_below) below.wait();
    if (reads_above) above.wait();
  }
  __syncthreads();
}

/// Launches a kernel with programmatic dependent launch: it may begin as soon as every block of the previous kernel on
/// the stream has called cudaTriggerProgrammaticLaunchCompletion() or ended. Before compute capability 9.0 it begins
/// when that kernel has ended. Throws core::DeviceError.
template <class... Parameters, class... Arguments>
void launch_overlapped(void (*kernel)(Parameters...), const dim3& blocks, int threads, std::size_t shared_bytes,
                       const core::Stream& stream, const Arguments&... arguments) {
  const int major = core::device_attribute(cudaDevAttrComputeCapabilityMajor);
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream.get();
  config.attrs = &overlap;
  config.numAttrs = major >= 9 ? 1 : 0;  // earlier GPUs refuse the attribute
  core::check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace speedwell::stencil::device

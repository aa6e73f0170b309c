// Planes that other GPUs store, as a source of march_kernel, and the launch of kernels that wait for them. Included by
// CUDA sources only.
#pragma once

#include <cstddef>

#include "speedwell/comm/gpu/halo_arrival.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil::device {

/// The source that reads one field of a slab, whose neighbouring planes lie where other GPUs store them. A kernel with
/// such a source is launched behind DeviceHaloExchange::push(), and beside it.
template <class T>
struct SlabPlain {
  static constexpr int fields = 1;
  const T* field[fields];
  comm::HaloArrival<T> below, above;  // empty at an end of the box
  __device__ void begin() {}
  __device__ T combined(const T (&v)[fields]) const { return v[0]; }
};
template <class Source>
constexpr bool is_slab = false;
template <class T>
constexpr bool is_slab<SlabPlain<T>> = true;

/// To be called by all threads of a block that reads planes of the neighbours: waits for them.
template <class T>
__device__ inline void wait_for_planes(const comm::HaloArrival<T>& below, const comm::HaloArrival<T>& above,
                                       bool reads_below, bool reads_above) {
  if (!(reads_below && below.data) && !(reads_above && above.data)) return;
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // what comes after this kernel may overwrite what push() reads
#endif
  if (threadIdx.x == 0) {
    if (reads_below) below.wait();
    if (reads_above) above.wait();
  }
  __syncthreads();
}

/// Launches a kernel that begins when all blocks of the kernel before it on the stream have begun, if that allows it
/// (compute capability 9.0; before it, when that has ended).
template <class... Parameters, class... Arguments>
void launch_beside_the_last(void (*kernel)(Parameters...), const dim3& blocks, int threads, std::size_t shared_bytes,
                            const core::Stream& stream, const Arguments&... arguments) {
  const int major = core::device_attribute(cudaDevAttrComputeCapabilityMajor);
  cudaLaunchAttribute beside{};
  beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  beside.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream.get();
  config.attrs = &beside;
  config.numAttrs = major >= 9 ? 1 : 0;  // earlier GPUs refuse the attribute
  core::check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace speedwell::stencil::device

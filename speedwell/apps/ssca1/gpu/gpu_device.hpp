// A device, and the thread blocks of kernels 2 to 5 on it. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/alignment/gpu/device_limits.hpp"

namespace speedwell::ssca1 {

using alignment::device_memory;
using alignment::DeviceLimits;
using alignment::DeviceMemory;
using alignment::find_device;

/// The threads of a warp, with the same interface as Block.
struct DeviceFew {
  SPEEDWELL_HD
  int threads() const { return 32; }
  template <class F>
  SPEEDWELL_HD
  void each(F&& f) const {
#ifdef __CUDA_ARCH__
    f(static_cast<int>(threadIdx.x));
    __syncwarp();
#endif
  }
  template <class F>
  SPEEDWELL_HD
  bool any(F&& f) const {
#ifdef __CUDA_ARCH__
    return __any_sync(0xffffffffu, f(static_cast<int>(threadIdx.x))) != 0;
#else
    return false;
#endif
  }
};

/// The threads of a block: each(f) calls f(thread) on all of them, followed by a barrier; any(f) returns whether it was
/// true on any of them.
struct DeviceBlock {
  SPEEDWELL_HD
  int threads() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(blockDim.x);
#else
    return 1;
#endif
  }
  template <class F>
  SPEEDWELL_HD
  void each(F&& f) const {
#ifdef __CUDA_ARCH__
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
#endif
  }
  template <class F>
  SPEEDWELL_HD
  bool any(F&& f) const {
#ifdef __CUDA_ARCH__
    return __syncthreads_or(f(static_cast<int>(threadIdx.x))) != 0;
#else
    return false;
#endif
  }
  /// Calls f(the first warp), followed by a barrier of the block.
  template <class F>
  SPEEDWELL_HD
  void few(F&& f) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x < 32) f(DeviceFew{});
    __syncthreads();
#endif
  }
};

}  // namespace speedwell::ssca1

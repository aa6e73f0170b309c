// What the GPU classes of kernels 2 to 5 ask of a device. Included by CUDA sources alone.
#pragma once

#include <string>

#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment::ssca1 {

struct DeviceLimits {
  int index = 0, multiprocessors = 0, shared_bytes = 0;
};

/// Throws core::Unavailable if there is no such device.
inline DeviceLimits find_device(int index) {
  const int count = core::device_count();
  if (index < 0 || index >= count)
    throw core::Unavailable("no GPU " + std::to_string(index) + ": this process sees " + std::to_string(count));
  DeviceLimits device{.index = index};
  core::check(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, index));
  core::check(cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
  return device;
}

/// Throws core::Unavailable if so many bytes are not free on the current device.
inline void require_free(std::size_t needed, const std::string& what) {
  std::size_t available = 0, total = 0;
  core::check(cudaMemGetInfo(&available, &total));
  if (needed > available)
    throw core::Unavailable(what + " needs " + std::to_string(needed) + " bytes of device memory, and " +
                            std::to_string(available) + " are free");
}

/// The threads of a block: each(f) calls f(thread) for all of them and waits, any(f) tells whether it was true for one.
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
};

}  // namespace speedwell::alignment::ssca1

// Properties and free memory of a CUDA device, which classes for GPUs check before they allocate. Included by CUDA
// sources only.
#pragma once

#include <cstddef>
#include <string>

#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

/// A device: its CUDA index, its number of multiprocessors, and the bytes of shared memory that a block can have at
/// most after cudaFuncSetAttribute (cudaDevAttrMaxSharedMemoryPerBlockOptin).
struct DeviceLimits {
  int index = 0, multiprocessors = 0, shared_bytes = 0;
  /// Makes it the current device of the calling thread.
  void use() const { core::check(cudaSetDevice(index)); }
};

/// The limits of the device with this CUDA index. Throws core::Unavailable if there is no such device.
inline DeviceLimits find_device(int index) {
  const int count = core::device_count();
  if (index < 0 || index >= count)
    throw core::Unavailable("no GPU " + std::to_string(index) + ": this process sees " + std::to_string(count));
  DeviceLimits device{.index = index};
  core::check(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, index));
  core::check(cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
  return device;
}

/// Free and total memory of a device, in bytes.
struct DeviceMemory {
  std::size_t available = 0, total = 0;
  /// Throws core::Unavailable if fewer than `needed` bytes are available. `what` is the subject of its message.
  void require(std::size_t needed, const std::string& what) const {
    if (needed > available)
      throw core::Unavailable(what + " needs " + std::to_string(needed) + " bytes of device memory; " +
                              std::to_string(available) + " are available");
  }
};
/// The memory of the current device as it is now.
inline DeviceMemory device_memory() {
  DeviceMemory memory;
  core::check(cudaMemGetInfo(&memory.available, &memory.total));
  return memory;
}

}  // namespace speedwell::alignment

// Properties and memory of a device, checked by the GPU classes before they allocate. Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <string>

#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

struct DeviceLimits {
  int index = 0, multiprocessors = 0, shared_bytes = 0;  // the last: maximum of a block that opts in
  void use() const { core::check(cudaSetDevice(index)); }
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

struct DeviceMemory {
  std::size_t available = 0, total = 0;
  /// Throws core::Unavailable, naming `what`, if so many bytes are not available.
  void require(std::size_t needed, const std::string& what) const {
    if (needed > available)
      throw core::Unavailable(what + " needs " + std::to_string(needed) + " bytes of device memory; " +
                              std::to_string(available) + " are available");
  }
};
/// The free memory of the current device.
inline DeviceMemory device_memory() {
  DeviceMemory memory;
  core::check(cudaMemGetInfo(&memory.available, &memory.total));
  return memory;
}

}  // namespace speedwell::alignment

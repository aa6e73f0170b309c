// Makes a device the current one for a scope. For CUDA sources.
#pragma once

#include "speedwell/core/cuda.hpp"

namespace speedwell::core {

class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  ~DeviceGuard() { (void)cudaSetDevice(before_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
};

}  // namespace speedwell::core

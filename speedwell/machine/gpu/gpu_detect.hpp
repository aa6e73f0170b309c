// The GPUs' half of detect(): gpu_detect.cu with CUDA, gpu_absent.cpp without.
#pragma once

#include <string>
#include <vector>

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

struct Gpus {
  std::vector<Gpu> gpus;
  std::string reason;  // why there are none
  std::string driver, cuda_runtime;
};
Gpus detect_gpus();

/// Throws core::Unavailable, with the available devices, or with the reason why the binary has no code for this one.
void require_gpu(int device);

/// "NVLink" or "PCI Express", by NVML: what links two GPUs; empty if it does not say. Only with CUDA.
std::string gpu_link_name(int first, int second);

}  // namespace speedwell::machine

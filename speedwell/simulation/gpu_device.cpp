#include "speedwell/simulation/gpu_device.hpp"

#include "speedwell/core/cuda.hpp"

namespace speedwell::simulation {

void select_gpu(int device) { core::check(cudaSetDevice(device)); }

}  // namespace speedwell::simulation

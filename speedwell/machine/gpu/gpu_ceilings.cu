#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/machine/gpu/gpu_detect.hpp"
#include "speedwell/machine/gpu/gpu_session.hpp"

namespace speedwell::machine {

Ceilings measure_gpu(int device, Effort effort) {
  require_gpu(device);
  const core::DeviceGuard guard(device);
  GpuSession session(device, effort);
  measure_gpu_memory(session);
  measure_gpu_cache(session);
  measure_gpu_arithmetic(session);
  measure_gpu_link(session);
  measure_gpu_latency(session);
  return std::move(session.ceilings);
}

}  // namespace speedwell::machine

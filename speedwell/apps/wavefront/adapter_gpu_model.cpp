#include "speedwell/apps/wavefront/adapter_gpu_model.hpp"

#include "speedwell/apps/wavefront/gpu/tile_timing.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::wavefront {

double seconds_on_gpu(const Settings& settings, const Extents& extents, int device) {
  if (device < 0 || device >= core::device_count()) throw core::Unavailable("no GPU to measure on");
  core::check(cudaSetDevice(device));
  return settings.f32 ? predicted_seconds(extents, in_precision<float>(settings.recurrence))
                      : predicted_seconds(extents, settings.recurrence);
}

}  // namespace speedwell::wavefront

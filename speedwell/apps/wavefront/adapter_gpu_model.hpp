// The model of tiles (gpu/tile_model.hpp) on the GPU that is here.
#pragma once

#include "speedwell/apps/wavefront/adapter_case.hpp"

namespace speedwell::wavefront {

/// Seconds of a sweep of such a grid by `cuda`. Throws core::Unavailable in a build without CUDA and where there is no
/// `device`.
double seconds_on_gpu(const Settings& settings, const Extents& extents, int device);

}  // namespace speedwell::wavefront

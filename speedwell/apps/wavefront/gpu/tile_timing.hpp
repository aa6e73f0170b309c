// What a sweep by `cuda` would take on this device, by the model of tiles with numbers measured on it. Only in a build
// with CUDA.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_model.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

/// The current device's numbers for sweeps of a grid of these extents, from sweeps of other shapes: of long tiles, by
/// the tenth of a second. They depend on the tiles and on the arithmetic of a cell alone, and are measured when they
/// are first asked for in a process. Throws core::DeviceError.
template <class T>
const model::TiledDevice& measured_device(const Extents& extents, const Recurrence<T>& recurrence);

/// Seconds of a sweep with these numbers. Throws core::DeviceError, and as GpuSolver's constructor.
template <class T>
double foreseen_seconds(const Extents& extents, const Recurrence<T>& recurrence);

}  // namespace speedwell::wavefront

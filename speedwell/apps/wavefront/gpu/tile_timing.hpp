// Predicted time of variants `cuda` and `multi` on this device and others like it, by the tile model with measured
// parameters. Only in builds with CUDA.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_model.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

/// Parameters of the current device for sweeps of grids of these extents by so many GPUs, measured by sweeps of other
/// shapes on this one within tenths of a second. They depend on the shape of tiles and on the arithmetic of a cell
/// only, and are measured once per process. Throws core::DeviceError.
template <class T>
const model::TiledDevice& measured_device(const Extents& extents, const Recurrence<T>& recurrence, int gpus = 1);

/// Predicted seconds of a sweep. Throws core::DeviceError, and as the constructor of GpuSolver.
template <class T>
double predicted_seconds(const Extents& extents, const Recurrence<T>& recurrence, int gpus = 1);

}  // namespace speedwell::wavefront

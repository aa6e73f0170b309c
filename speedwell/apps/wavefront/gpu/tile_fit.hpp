// Determines the parameters of the tile model from the times of a few sweeps whose shapes each expose one of them.
#pragma once

#include <cstdint>
#include <functional>

#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

namespace speedwell::wavefront::model {

/// A sweep of whole tiles: numbers of tiles along x and y, and vectors per row.
struct TileSample {
  std::int64_t in_x = 1, in_y = 1, vectors = 1;
  int blocks = 0;  // maximum number of resident blocks; 0: as many as the device has
};
/// Measures the seconds of a sample.
using TimeTiles = std::function<double(const TileSample&)>;

/// Fits a device whose tiles have `warps` sweeping warps and that has `blocks` resident blocks. The fit uses
/// differences of times between samples with more tiles or longer rows, which contain neither the launch nor the
/// filling of the pipeline. Throws std::invalid_argument if there are no warps or blocks, and for times that do not
/// increase.
TiledDevice fit_device(int warps, std::int64_t blocks, const TimeTiles& seconds);

}  // namespace speedwell::wavefront::model

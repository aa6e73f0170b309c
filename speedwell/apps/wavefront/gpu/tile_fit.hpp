// The numbers of the model of tiles from the times of a few sweeps, whose shapes are chosen so that each shows one.
#pragma once

#include <cstdint>
#include <functional>

#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

namespace speedwell::wavefront::model {

/// A sweep of whole tiles: so many along x and y, so many chunks to a row.
struct TileSample {
  std::int64_t in_x = 1, in_y = 1, chunks = 1;
  int blocks = 0;  // at most so many at a time; 0: as many as the device has
};
/// Its seconds.
using TimeTiles = std::function<double(const TileSample&)>;

/// A device with tiles of so many warps that sweep, and so many blocks. What another tile or chunk adds to a time is
/// taken, so that neither the launch nor the pipeline's filling is in it. Throws std::invalid_argument for none, and
/// for times that do not grow.
TiledDevice fit_device(int warps, std::int64_t blocks, const TimeTiles& seconds);

}  // namespace speedwell::wavefront::model

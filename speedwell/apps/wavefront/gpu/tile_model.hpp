// Performance model of the tiled sweep (tile_plan.hpp): active tiles proceed in lockstep, and follow each other with
// lags that are given by their shapes and by the latency of passing a face from one tile to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/gpu/tile_groups.hpp"

namespace speedwell::wavefront::model {

/// Seconds of a step while `tiles` tiles are active and share the memory bandwidth.
struct LoadedStep {
  std::int64_t tiles = 1;
  double seconds = 0;
};

/// Parameters of a device for one kind of tile: a precision, the arithmetic of a cell, planes, and cells of a vector.
struct TiledDevice {
  double launch_s = 0;             // seconds of launch, completion, and the first and last lines of the sweep
  double hop_x = 0;                // latency, in steps, of sending a vector to the next tile along x
  double hop_y = 0;                // the same along y
  double link_steps = 0;           // additional latency, in steps, of sending a vector to a tile of another GPU
  double restart_steps = 0;        // steps between the end of a tile and the begin of the next on the same block
  std::int64_t blocks = 1;         // number of resident blocks
  std::vector<LoadedStep> loaded;  // sorted by tiles; interpolated linearly and constant outside
};

/// Number of steps in which a tile has cells to update.
std::int64_t steps_of_tile(const TilePlan& plan);

/// Seconds of a step with `tiles` active tiles. Throws std::invalid_argument if `loaded` is empty.
double step_seconds(const TiledDevice& device, double tiles);

/// Seconds of a sweep. Blocks take tiles in the order of tiles_in_order(). A tile begins when its block is free and the
/// first vectors of its predecessors have arrived: plan.warps() + hop_x steps after the tile before it along x began,
/// and tile_rows + hop_y steps after that along y. It never waits again, as all tiles are equally fast. A tile counts
/// as active while the middle one of its rows and planes has cells, since the other rows and planes are delayed or
/// advanced relative to it. Exact under these rules, in time O(n log n) for n tiles. Throws std::invalid_argument for a
/// device without blocks or steps.
double tiled_seconds(const TilePlan& plan, const TiledDevice& device);
/// The same on several such devices. All advance in common steps, which take as long as on the device with the most
/// active tiles.
double tiled_seconds(const TilePlan& plan, const TiledDevice& device, const TileGroups& groups);

}  // namespace speedwell::wavefront::model

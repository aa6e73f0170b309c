// What a sweep by tiles would take (tile_plan.hpp): the tiles that are at work move in the same steps, and follow each
// other with the lags that their shapes and the way of a face from one to the next give them.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"

namespace speedwell::wavefront::model {

/// Seconds of a step while so many tiles are at work: they share the memory.
struct LoadedStep {
  std::int64_t tiles = 1;
  double seconds = 0;
};

/// A device with one kind of tile: a precision, a cell's arithmetic, planes and cells of a chunk.
struct TiledDevice {
  double launch_s = 0;             // and the end, the first tile's first lines and the last one's last
  double hop_x = 0;                // steps from the one that hands on a chunk to where the next tile along x can use it
  double hop_y = 0;                // and along y
  double between = 0;              // steps of a block after the last of a tile before it is ready for another
  std::int64_t blocks = 1;         // at work at a time
  std::vector<LoadedStep> loaded;  // by tiles, ascending; between them on a line, beyond them as at the ends
};

/// Steps in which a tile has cells to compute.
std::int64_t steps_of_tile(const TilePlan& plan);

/// Seconds of a step with so many tiles at work. Throws std::invalid_argument where `loaded` is empty.
double step_seconds(const TiledDevice& device, double tiles);

/// Seconds of a sweep. Blocks take tiles in the order of tiles_in_order(); a tile begins when its block is ready and
/// the first chunks of its neighbours are there, warps or rows and a hop after these began, and then never waits, as
/// all tiles are equally fast. It loads the device while the middle one of its rows and planes has cells: before that
/// and after it others do not have theirs yet or any more. Exact under these rules, in time proportional to n log n of
/// n tiles. Throws std::invalid_argument for a device without blocks or steps.
double tiled_seconds(const TilePlan& plan, const TiledDevice& device);

}  // namespace speedwell::wavefront::model

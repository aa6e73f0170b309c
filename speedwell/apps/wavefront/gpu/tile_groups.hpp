// Division of the tiles of a sweep among GPUs. Groups of consecutive tiles along x are dealt to the GPUs in turn: a GPU
// begins when the first group of the preceding one has passed a few of its values on, and works until nearly the end.
// Does not depend on CUDA.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"
#include "speedwell/comm/parts.hpp"

namespace speedwell::wavefront {

/// Group n belongs to GPU n mod `gpus`. A GPU numbers its own tiles along x without gaps, in their order.
struct TileGroups {
  int gpus = 1;
  std::int32_t length = 1;  // tiles along x of a group; the last one may be shorter
  std::int32_t in_x = 1;    // all tiles along x

  int gpu_of(std::int32_t a) const { return static_cast<int>(a / length % gpus); }
  /// The number of tile `a` on its GPU.
  std::int32_t local(std::int32_t a) const;
  /// The number of tiles along x of a GPU; 0 if there are fewer groups than GPUs.
  std::int32_t tiles_of(int gpu) const;
  std::int32_t groups() const { return (in_x + length - 1) / length; }
};

/// The planes of a GPU: ranges of the grid in the order of the sweep, `planes` to a tile and `nx` in all. They follow
/// each other without gaps in the memory of the GPU.
std::vector<comm::Range> planes_of(const TileGroups& groups, int gpu, int planes, std::int64_t nx);

/// The length of groups for which the estimated number of steps is least, if `length` is 0. With n tiles along x, m
/// along y and P GPUs with B blocks each, the last GPU begins (P - 1) length (w + h) steps after the first one, where
/// w + h is the lag of a tile behind the preceding one along x; ceil(n / length) - 1 of the n hops go to another GPU,
/// each of which takes some steps more; and the tiles of the GPU with the most take (tiles) m s / B steps, where s is
/// the number of steps of a tile. Long groups delay the begin of the other GPUs, and short ones send more values to
/// them. Throws std::invalid_argument for fewer GPUs or blocks than 1, and for a negative length.
TileGroups divide_tiles(const TilePlan& plan, int gpus, int blocks, std::int32_t length = 0);

/// The tiles of a GPU in the order in which tiles_in_order() has them, with the GPU's own numbers along x. If every GPU
/// takes its tiles in this order, the sweep completes for any numbers of resident blocks: of all tiles that are not
/// finished, the first in the common order has only finished predecessors, and on its GPU no tile comes before it.
std::vector<TileIndex> tiles_in_order(const TilePlan& plan, const TileGroups& groups, int gpu);

}  // namespace speedwell::wavefront

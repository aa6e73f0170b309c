// How `cuda` cuts a grid, and in which order its tiles are begun. A tile is a few planes of 32 rows, along all of z: a
// warp for some planes together, a lane for a row of each. In step s lane l of warp w is at chunk s - w - l of its
// rows.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

inline constexpr int tile_rows = 32;
inline constexpr int most_tile_planes = 16;
inline constexpr int line_bytes = 128;  // of a row that are copied at a time
inline constexpr int unit_bytes = 16;   // that a thread copies at a time

/// Planes that a warp sweeps together: what a step costs beside its cells is shared by all, but fewer warps hide less
/// of the arithmetic's latency.
SPEEDWELL_HD
constexpr int warp_planes(bool loops) { return loops ? 1 : 2; }

/// What steps and lines are, with `cells` of `element` bytes to a chunk. A line is read `ahead` steps before its first
/// chunk is due, and leaves two steps after the one that ends it, when the plane beside has read it too.
struct TileSteps {
  int in_line;  // chunks of a line
  int ahead;
  static constexpr int leaves = 2;
  static constexpr int lines_kept = 2;  // of each row, of which one is on its way while the other is worked on

  SPEEDWELL_HD
  constexpr TileSteps(int cells, int element)
      : in_line(line_bytes / (cells * element)), ahead((lines_kept - 1) * in_line - 1) {}
  /// Steps of a tile, after `ahead` for its first lines.
  SPEEDWELL_HD
  constexpr std::int32_t steps(int warps, std::int32_t lines) const {
    return lines * in_line + leaves + tile_rows - 1 + warps - 1;
  }
};

struct TilePlace {
  std::int32_t a, b;  // along x, along y
};

struct TilePlan {
  int warp_planes = 1;
  int planes = 1, cells = 1;  // planes: of a tile, as many as its warps have
  std::int32_t in_x = 1, in_y = 1;
  std::int32_t lines = 1, chunks = 1;  // of a row
  SPEEDWELL_HD
  std::int64_t tiles() const { return std::int64_t{in_x} * in_y; }
  /// Chunks of the face before a tile along x: those that it needs in step s at 32 s, a row's beside another's.
  SPEEDWELL_HD
  std::int64_t west_chunks() const { return (std::int64_t{chunks} + tile_rows - 1) * tile_rows; }
  /// And along y, a plane's beside another's.
  SPEEDWELL_HD
  std::int64_t north_chunks() const { return (std::int64_t{chunks} + warps() - 1) * planes; }
  SPEEDWELL_HD
  int warps() const { return planes / warp_planes; }
};

/// Throws std::invalid_argument for options that are not possible.
TilePlan plan_tiles(const Extents& extents, int element, bool loops, const TileOptions& options);

/// All tiles, each after those that it needs, sorted by when it can begin. A block takes the next when it has finished
/// one, so that whatever a tile waits for is finished or at work, however few blocks there are.
std::vector<TilePlace> tiles_in_order(const TilePlan& plan);

}  // namespace speedwell::wavefront

// Division of the grid into tiles by `cuda`, and the order of the tiles. A tile consists of a few planes of 32 rows and
// extends along all of z: a warp sweeps one or two planes, a lane one row of each. In step s lane l of warp w is at
// vector s - w - l of its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

inline constexpr int tile_rows = 32;
inline constexpr int max_tile_planes = 16;
inline constexpr int line_bytes = 128;  // part of a row that is copied at a time
inline constexpr int unit_bytes = 16;   // part of a line that a thread copies at a time

/// Number of planes that a warp sweeps. More planes share the overhead of a step, but fewer warps hide less of the
/// latency of the arithmetic.
SPEEDWELL_HD
constexpr int warp_planes(bool loops) { return loops ? 1 : 2; }

/// Timing of lines for vectors of `cells` cells of `element` bytes. A line is loaded `ahead` steps before its first
/// vector is due, and stored `store_delay` steps after its last, when the next plane has read it, too.
struct TileSteps {
  int vectors_per_line;
  int ahead;
  static constexpr int store_delay = 2;
  static constexpr int lines_in_ring = 2;  // per row: one line is in transit while the other is processed

  SPEEDWELL_HD
  constexpr TileSteps(int cells, int element)
      : vectors_per_line(line_bytes / (cells * element)), ahead((lines_in_ring - 1) * vectors_per_line - 1) {}
  /// Number of steps of a tile, not counting the `ahead` steps that load its first lines.
  SPEEDWELL_HD
  constexpr std::int32_t steps(int warps, std::int32_t lines) const {
    return lines * vectors_per_line + store_delay + tile_rows - 1 + warps - 1;
  }
};

struct TileIndex {
  std::int32_t a, b;  // indices along x and y
};

struct TilePlan {
  int warp_planes = 1;
  int planes = 1, cells = 1;  // planes of a tile, a multiple of warp_planes
  std::int32_t in_x = 1, in_y = 1;
  std::int32_t lines = 1, vectors = 1;  // per row
  SPEEDWELL_HD
  std::int64_t tiles() const { return std::int64_t{in_x} * in_y; }
  /// Vectors of the face before a tile along x. Those of step s begin at 32 s, ordered by rows.
  SPEEDWELL_HD
  std::int64_t west_vectors() const { return (std::int64_t{vectors} + tile_rows - 1) * tile_rows; }
  /// Vectors of the face before a tile along y, ordered by planes.
  SPEEDWELL_HD
  std::int64_t north_vectors() const { return (std::int64_t{vectors} + warps() - 1) * planes; }
  SPEEDWELL_HD
  int warps() const { return planes / warp_planes; }
};

/// Latency, in steps, of passing a vector to a neighbour, which begins when the first vector of the last plane or row
/// has arrived.
inline constexpr std::int64_t hand_over_steps = 4;

/// The tiles of a grid that so many GPUs sweep together (tile_groups.hpp). Throws std::invalid_argument for invalid
/// options.
TilePlan plan_tiles(const Extents& extents, int element, bool loops, const TileOptions& options, int gpus = 1);

/// All tiles, each after its predecessors, sorted by their earliest possible begin. A block takes the next tile when it
/// has finished one, so that the predecessors of a tile are finished or being swept for any number of blocks.
std::vector<TileIndex> tiles_in_order(const TilePlan& plan);

}  // namespace speedwell::wavefront

// Division of a grid into the tiles of a pass that advances several sweeps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// A grid cut into `strips` of rows times `chunks` of planes, all of almost the same size: strip s has rows
/// [begin(ny, strips, s), begin(ny, strips, s + 1)), and so chunks of planes.
struct Tiles {
  std::int64_t strips = 1, chunks = 1;

  static std::int64_t begin(std::int64_t n, std::int64_t parts, std::int64_t part) { return n * part / parts; }
  std::int64_t count() const { return strips * chunks; }
};

/// Rows of cells that `depth` sweeps compute for a tile of `rows` rows and `planes` planes: each sweep but the last
/// also computes the cells around the tile that the sweeps after it read.
inline std::int64_t rows_computed(std::int64_t rows, std::int64_t planes, int depth) {
  std::int64_t sum = 0;
  for (int spread = 0; spread < depth; ++spread) sum += (rows + 2 * spread) * (planes + 2 * spread);
  return sum;
}

/// Rows that the busiest of `threads` threads computes, where each takes one tile after the other.
inline std::int64_t rows_of_busiest(const Grid& g, const Tiles& tiles, int depth, int threads) {
  const std::int64_t rounds = (tiles.count() + threads - 1) / threads;
  return rounds *
         rows_computed((g.ny + tiles.strips - 1) / tiles.strips, (g.nz + tiles.chunks - 1) / tiles.chunks, depth);
}

/// The division of a pass of `depth` sweeps with the least work for the busiest thread, among those with strips of at
/// most `max_rows` rows and some four tiles a thread.
inline Tiles divide_into_tiles(const Grid& g, int depth, int threads, std::int64_t max_rows) {
  const std::int64_t fewest = (g.ny + max_rows - 1) / max_rows, max_tiles = std::max<std::int64_t>(4 * threads, fewest);
  Tiles best{.strips = fewest, .chunks = 1};
  std::int64_t least = rows_of_busiest(g, best, depth, threads);
  for (std::int64_t strips = fewest; strips <= std::min(g.ny, max_tiles); ++strips)
    for (std::int64_t chunks = 1; chunks <= std::min(g.nz, max_tiles / strips); ++chunks) {
      const Tiles tiles{.strips = strips, .chunks = chunks};
      const std::int64_t rows = rows_of_busiest(g, tiles, depth, threads);
      if (rows >= least) continue;
      best = tiles;
      least = rows;
    }
  return best;
}

}  // namespace speedwell::stencil

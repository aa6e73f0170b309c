// Distribution of an array, which rank 0 holds before and after a run, to the tiles of all ranks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "speedwell/comm/redistribution.hpp"

namespace speedwell::fft {

/// The decomposition in which rank 0 has the box that `tiles` divide and the other ranks have nothing.
inline std::vector<comm::Tile> whole_of(const std::vector<comm::Tile>& tiles) {
  std::vector<comm::Tile> whole(tiles.size());
  for (const comm::Tile& tile : tiles)
    for (std::size_t axis = 0; axis < 3; ++axis)
      whole[0].ranges[axis].end = std::max(whole[0].ranges[axis].end, tile.ranges[axis].end);
  return whole;
}
/// Collective. Copies `whole`, the array in row-major order, of which only that of rank 0 is read, to the tile of each
/// rank, which is tiles[rank] and overwritten. Element is float, double or std::complex of these. Throws
/// std::invalid_argument unless there is one tile per rank.
template <class Element>
void scatter_tiles(const comm::Communicator& ranks, const std::vector<comm::Tile>& tiles,
                   std::span<const Element> whole, std::span<Element> tile) {
  comm::Redistribution<Element>(ranks, whole_of(tiles), tiles).move(whole, tile);
}
/// Collective. The inverse: overwrites `whole` on rank 0 with the tiles of all ranks.
template <class Element>
void gather_tiles(const comm::Communicator& ranks, const std::vector<comm::Tile>& tiles, std::span<const Element> tile,
                  std::span<Element> whole) {
  comm::Redistribution<Element>(ranks, tiles, whole_of(tiles)).move(tile, whole);
}

}  // namespace speedwell::fft

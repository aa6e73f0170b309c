// The tiles of ranks for the harness: the first rank has the whole array before and after.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "speedwell/comm/redistribution.hpp"

namespace speedwell::fft {

/// The box of all tiles on the first rank, and nothing on the others.
inline std::vector<comm::Tile> whole_of(const std::vector<comm::Tile>& tiles) {
  std::vector<comm::Tile> whole(tiles.size());
  for (const comm::Tile& tile : tiles)
    for (std::size_t axis = 0; axis < 3; ++axis)
      whole[0].ranges[axis].end = std::max(whole[0].ranges[axis].end, tile.ranges[axis].end);
  return whole;
}
/// Collective. `whole` is read and written on the first rank only.
template <class Element>
void scatter_tiles(const comm::Communicator& ranks, const std::vector<comm::Tile>& tiles,
                   std::span<const Element> whole, std::span<Element> tile) {
  comm::Redistribution<Element>(ranks, whole_of(tiles), tiles).move(whole, tile);
}
template <class Element>
void gather_tiles(const comm::Communicator& ranks, const std::vector<comm::Tile>& tiles, std::span<const Element> tile,
                  std::span<Element> whole) {
  comm::Redistribution<Element>(ranks, tiles, whole_of(tiles)).move(tile, whole);
}

}  // namespace speedwell::fft

// What the warps of a tile know: the sweep, and their tile of it. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu/tile_faces.hpp"

namespace speedwell::wavefront {

/// What all blocks share beside the ticket.
struct TileControl {
  std::uint32_t beat;     // changes while there is progress anywhere
  std::uint32_t stalled;  // a tile's number + 1, after nothing has moved for too long; stays until the host has seen it
};

template <class T>
struct TileSweep {
  DeviceGrid<T> grid;
  TilePlan plan;
  const TilePlace* order = nullptr;
  std::uint32_t* ticket = nullptr;  // the next tile in order
  TileControl* control = nullptr;
  T* west = nullptr;  // the faces before tile (a,b) along x and y, at index a in_y + b
  T* north = nullptr;
  std::uint64_t patience_ns = 0;
  std::int32_t withheld = -1;
};

namespace detail {

/// The tile that a block is at.
template <class T, int V, int P, Rows rows>
struct TileAt {
  using L = Lines<T, V, P, rows>;
  static constexpr int chunk_bytes = V * static_cast<int>(sizeof(T));
  static constexpr int slots = 2;  // steps whose values of other tiles are kept
  static constexpr int west_bytes = tile_rows * chunk_bytes, north_bytes = most_tile_planes * chunk_bytes;
  /// Shared memory: a ring for each row of each plane, and what comes from other tiles.
  static constexpr int bytes(int planes) { return planes * L::plane_bytes + slots * (west_bytes + north_bytes); }

  const TileSweep<T>& sweep;
  std::uint32_t number;
  TilePlace place;
  std::int32_t i, j;  // its first plane and row
  int rows_there;
  SharedAddress rings, west, north;

  __device__ TileAt(const TileSweep<T>& s, char* memory, std::uint32_t tile)
      : sweep(s),
        number(tile),
        place(s.order[tile]),
        i(place.a * s.plan.planes),
        j(place.b * tile_rows),
        rows_there(min(tile_rows, s.grid.ny - j)),
        rings(shared_address(memory)),
        west(rings + s.plan.planes * L::plane_bytes),
        north(west + slots * west_bytes) {}
  /// Among the faces.
  __device__ std::int64_t index() const { return std::int64_t{place.a} * sweep.plan.in_y + place.b; }
};

inline __device__ bool is_chunk(std::int32_t c, std::uint32_t chunks) { return static_cast<std::uint32_t>(c) < chunks; }

}  // namespace detail
}  // namespace speedwell::wavefront

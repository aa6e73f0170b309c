// Arguments of the tile kernel, and the context of one tile. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu/tile_faces.hpp"

namespace speedwell::wavefront {

/// State that all blocks share, in addition to the ticket counter.
struct TileControl {
  std::uint32_t progress;  // changes as long as any tile makes progress
  std::uint32_t stalled;   // number of a stalled tile + 1; set on a timeout and reset by the host
};

template <class T>
struct TileSweep {
  DeviceGrid<T> grid;
  TilePlan plan;
  const TileIndex* order = nullptr;
  std::uint32_t* ticket = nullptr;  // counter of the tiles that have been taken
  TileControl* control = nullptr;
  T* west = nullptr;  // face before tile (a,b) along x, at index a in_y + b
  T* north = nullptr;
  // Along x the tiles of a GPU are in groups (tile_groups.hpp), whose last tiles send their faces to the next GPU.
  std::int32_t group = 1;                // tiles along x of a group
  std::int32_t last = 0;                 // the tile along x after which the grid ends; -1: it is on another GPU
  bool is_first = true;                  // whether tile 0 along x is the first of the grid
  T* next_west = nullptr;                // the faces of the next GPU
  std::int32_t next_index = 0;           // the tile along x of the next GPU that follows tile a is a + next_index
  unsigned long long* waited = nullptr;  // nanoseconds that the first tile waited for another GPU; null: not measured
  std::uint64_t timeout_ns = 0;
  std::int32_t withheld_tile = -1;
};

namespace detail {

/// The tile that a block is sweeping.
template <class T, int V, int P, Rows rows>
struct TileContext {
  using L = Lines<T, V, P, rows>;
  static constexpr int vector_bytes = V * static_cast<int>(sizeof(T));
  static constexpr int slots = 2;  // number of steps whose halo values are buffered
  static constexpr int west_bytes = tile_rows * vector_bytes, north_bytes = max_tile_planes * vector_bytes;
  /// Bytes of shared memory: a ring buffer for each row of each plane, and the halo buffers.
  static constexpr int bytes(int planes) { return planes * L::plane_bytes + slots * (west_bytes + north_bytes); }

  const TileSweep<T>& sweep;
  std::uint32_t number;
  TileIndex indices;
  std::int32_t i, j;  // first plane and row of the tile
  int num_rows;
  SharedAddress rings, west, north;

  __device__ TileContext(const TileSweep<T>& s, char* memory, std::uint32_t tile)
      : sweep(s),
        number(tile),
        indices(s.order[tile]),
        i(indices.a * s.plan.planes),
        j(indices.b * tile_rows),
        num_rows(min(tile_rows, s.grid.ny - j)),
        rings(shared_address(memory)),
        west(rings + s.plan.planes * L::plane_bytes),
        north(west + slots * west_bytes) {}
  /// Index of the tile's faces.
  __device__ std::int64_t index() const { return std::int64_t{indices.a} * sweep.plan.in_y + indices.b; }
};

inline __device__ bool is_vector(std::int32_t c, std::uint32_t vectors) {
  return static_cast<std::uint32_t>(c) < vectors;
}

}  // namespace detail
}  // namespace speedwell::wavefront

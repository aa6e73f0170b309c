// A tile of the sweep, as one block of threads works on it. A warp keeps its plane's last values in registers: top is a
// lane's own, north comes from the lane beside it, west from the warp before through the rings of lines in shared
// memory. Copies to and from memory are whole lines of a row, though lanes are at a diagonal: in each step a few rows
// begin a line, and only these are copied. Included by CUDA sources alone.
#pragma once

#include <cuda/atomic>

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
  std::uint32_t* ticket = nullptr;  // the next tile in order; 0 before a sweep
  TileControl* control = nullptr;
  std::uint32_t* west = nullptr;   // the faces before tile (a,b) along x and y, at index a in_y + b
  std::uint32_t* north = nullptr;
  std::uint64_t patience_ns = 0;
  std::int32_t withheld = -1;
};

/// Warps beside those of the planes, which bring what comes from other tiles: each the chunks of every third step,
/// which it asks for so many steps before they are due.
inline constexpr int bringing_warps = 3;

template <class T, class C, int V, detail::Rows rows>
class Tile {
  using L = detail::Lines<T, V, rows>;
  using Chunk = typename L::Chunk;
  static constexpr int words = L::words;
  using Words = detail::Words<words>;
  template <class Word>
  using DeviceAtomic = cuda::atomic_ref<Word, cuda::thread_scope_device>;
  static constexpr int ahead = TileSteps(V, sizeof(T)).ahead;
  static constexpr int chunk_bytes = V * static_cast<int>(sizeof(T));
  static constexpr int slots = 2;  // steps whose values of other tiles are kept
  static constexpr int west_bytes = tile_rows * chunk_bytes, north_bytes = most_tile_planes * chunk_bytes;

 public:
  /// Shared memory: a ring for each row of each plane, and what comes from other tiles.
  static constexpr int bytes(int planes) { return planes * L::plane_bytes + slots * (west_bytes + north_bytes); }

  __device__ Tile(const TileSweep<T>& sweep, char* memory, std::uint32_t number)
      : s_(sweep),
        number_(number),
        place_(sweep.order[number_]),
        planes_(sweep.plan.planes),
        last_(TileSteps(V, sizeof(T)).steps(planes_, sweep.plan.lines)),
        i_(place_.a * planes_),
        j_(place_.b * tile_rows),
        rows_(min(tile_rows, sweep.grid.ny - j_)),
        rings_(detail::shared_address(memory)),
        west_(rings_ + planes_ * L::plane_bytes),
        north_(west_ + slots * west_bytes) {}

  /// Called by all threads of the block: a warp for each plane, and those that bring. All go through the same steps.
  __device__ void sweep(C cell, int warp, int lane) {
    const DeviceGrid<T> g = s_.grid;  // copies: what is in registers is not read again after every barrier
    const TilePlan plan = s_.plan;
    const auto chunks = static_cast<std::uint32_t>(detail::kept(plan.chunks));
    const std::int64_t tile = std::int64_t{place_.a} * plan.in_y + place_.b;

    // A plane's warp.
    const bool brings = warp >= planes_;
    const int w = min(warp, planes_ - 1);
    const bool there = !brings && i_ + w < g.nx;
    const detail::SharedAddress plane = rings_ + w * L::plane_bytes, ring = plane + lane * L::ring_bytes,
                                west = west_ + lane * chunk_bytes, north = north_ + w * chunk_bytes;
    const T inflow =
        there && lane < rows_ ? g.top[std::int64_t{i_ + w} * g.top_x + std::int64_t{j_ + lane} * g.top_y] : T(0);
    const bool hands_on = there && static_cast<std::int32_t>(number_) != s_.withheld;
    const bool has_east = hands_on && w == planes_ - 1 && place_.a + 1 < plan.in_x && lane < rows_;
    const bool has_south = hands_on && lane == tile_rows - 1 && place_.b + 1 < plan.in_y;
    const int west_stride = tile_rows * words, north_stride = detail::kept(planes_ * words);
    std::uint32_t* const east = s_.west + ((tile + plan.in_y) * plan.west_chunks() + lane) * words;
    std::uint32_t* const south = s_.north + ((tile + 1) * plan.north_chunks() + w) * words;
    std::int32_t now = -ahead - w;  // the chunk of lane 0
    typename L::Copies copies(g.row(i_ + w, j_), g.y, plane, there ? rows_ : 0, g.nz, g.z, now - 1, lane);
    Chunk from_north{};  // what the lane before had in the step before
    T top = 0;

    // One that brings: in every third step a chunk for each row of plane 0 and for row 0 of each plane. A chunk that
    // there is not is asked for, too, as another, which is not received.
    const int row = min(lane, rows_ - 1), column = min(lane, min(planes_, g.nx - i_) - 1);
    const std::uint32_t* const west_face = s_.west + (tile * plan.west_chunks() + row) * words;
    const std::uint32_t* const north_face = s_.north + (tile * plan.north_chunks() + column) * words;
    const auto west_at = [&](std::int32_t step) {
      return west_face + std::int64_t{min(step, plan.chunks + tile_rows - 2)} * west_stride;
    };
    const auto north_at = [&](std::int32_t step) {
      return north_face + std::int64_t{min(step, plan.chunks + planes_ - 2)} * north_stride;
    };
    std::int32_t due = warp - planes_;
    Words asked_west{}, asked_north{};
    if (brings) {
      asked_west = detail::load_face<words>(west_at(due));
      asked_north = detail::load_face<words>(north_at(due));
    }

    for (std::int32_t step = -ahead; step < last_; ++step, ++now) {
      const bool mine = brings && step == due;
      if (mine) {
        if (lane == row && is_chunk(step - row, chunks))
          receive(west_at(step), asked_west, west_ + step % slots * west_bytes + row * chunk_bytes);
        if (lane == column && is_chunk(step - column, chunks))
          receive(north_at(step), asked_north, north_ + step % slots * north_bytes + column * chunk_bytes);
      }
      detail::wait_for_copies<ahead - 1>();
      __syncthreads();
      if (there) {
        const std::int32_t c = now - lane;
        // Before its first chunk and after its last a lane computes what nobody reads.
        const bool works = is_chunk(c, chunks);
        const int place = L::place(c);
        const int slot = step & (slots - 1);
        Chunk u = from_north, from_west = from_north;
        if (works) {
          u = L::get(ring + place);
          from_west = w > 0 ? L::get(ring + place - L::plane_bytes) : L::in_sweep_order(west + slot * west_bytes);
          if (lane == 0) from_north = L::in_sweep_order(north + slot * north_bytes);
        }
        if (c == 0) top = inflow;
        Chunk own;
#pragma unroll
        for (int v = 0; v < V; ++v) own.cell[v] = top = cell(u.cell[v], top, from_north.cell[v], from_west.cell[v]);
#pragma unroll
        for (int v = 0; v < V; ++v) from_north.cell[v] = __shfl_up_sync(~0u, own.cell[v], 1);
        if (works) {
          L::put(ring + place, own);
          if (has_east) hand_on(east + std::int64_t{now} * west_stride, own);
          if (has_south) hand_on(south + std::int64_t{c + w} * north_stride, own);
        }
        __syncwarp();
        // Of the rows that began a line in the step before, the line before that leaves, which the warp beside has
        // read too, and the one after it takes its place.
        copies.store(-1);
        copies.load(1);
        copies.advance();
      } else if (mine) {
        due += bringing_warps;
        asked_west = detail::load_face<words>(west_at(due));
        asked_north = detail::load_face<words>(north_at(due));
      }
      detail::commit_copies();
      if (lane == 0 && warp == planes_ && step % 128 == 0)
        DeviceAtomic<std::uint32_t>(s_.control->beat).fetch_add(1, cuda::memory_order_relaxed);
    }
    detail::wait_for_copies<0>();
  }

 private:
  static __device__ bool is_chunk(std::int32_t c, std::uint32_t chunks) {
    return static_cast<std::uint32_t>(c) < chunks;
  }
  static __device__ void hand_on(std::uint32_t* at, const Chunk& chunk) {
    detail::hand_on(at, cuda::std::bit_cast<Words>(chunk));
  }

  /// Waits until what was asked for is there, leaves nothing behind it, and puts it into shared memory.
  __device__ void receive(const std::uint32_t* face, Words& chunk, detail::SharedAddress to) {
    std::uint32_t beat = 0;
    std::uint64_t since = 0;
    for (int times = 1; !detail::complete(chunk); ++times) {
      chunk = detail::load_face<words>(face);
      if (times % 1024 == 0 && moves_no_more(beat, since)) break;  // what follows is no result, but it ends
    }
    detail::store_face(const_cast<std::uint32_t*>(face), detail::nothing_at_all<words>());
    detail::write<words>(to, chunk);
  }

  /// Whether no tile has made any progress for longer than anybody's patience.
  __device__ bool moves_no_more(std::uint32_t& beat, std::uint64_t& since) {
    if (DeviceAtomic<std::uint32_t>(s_.control->stalled).load(cuda::memory_order_relaxed) != 0) return true;
    const std::uint32_t heard = DeviceAtomic<std::uint32_t>(s_.control->beat).load(cuda::memory_order_relaxed);
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (since == 0 || heard != beat) {
      beat = heard;
      since = now;
      return false;
    }
    if (now - since < s_.patience_ns) return false;
    std::uint32_t none = 0;
    DeviceAtomic<std::uint32_t>(s_.control->stalled).compare_exchange_strong(none, number_ + 1);
    return true;
  }

  const TileSweep<T>& s_;
  std::uint32_t number_;
  TilePlace place_;
  int planes_;
  std::int32_t last_;
  std::int32_t i_, j_;  // its first plane and row
  int rows_;
  detail::SharedAddress rings_, west_, north_;
};

}  // namespace speedwell::wavefront

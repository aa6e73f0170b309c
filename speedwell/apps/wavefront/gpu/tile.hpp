// A tile of the sweep, as one block of threads works on it. A warp keeps its plane's last values in registers: top is a
// lane's own, north comes from the lane beside it, west from the warp before through the rings of lines in shared
// memory. Copies to and from memory are whole lines of a row, though lanes are at a diagonal: in each step a few rows
// begin a line, and only these are copied. Included by CUDA sources alone.
#pragma once

#include <cuda/atomic>
#include <type_traits>

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu/tile_lines.hpp"

namespace speedwell::wavefront {

/// What all blocks share beside the ticket.
struct TileControl {
  std::uint32_t beat;     // changes while there is progress anywhere
  std::uint32_t stalled;  // a tile's number + 1, after nothing has moved for too long; stays until the host has seen it
};

/// Faces: what tiles hand on. A word of a face is `nothing` until its value is there, and again after it has been read,
/// so that values need neither flags nor fences. No sum has these bits: those that are made to hold NaNs are others.
inline constexpr std::uint32_t nothing = 0xffffffffu;

template <class T>
struct TileSweep {
  DeviceGrid<T> grid;
  TilePlan plan;
  const TilePlace* order = nullptr;
  std::uint32_t* ticket = nullptr;  // the next tile in order; 0 before a sweep
  TileControl* control = nullptr;
  std::uint32_t* east = nullptr;  // faces of tile (a,b) at index a in_y + b
  std::uint32_t* south = nullptr;
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

  /// Warp `w` sweeps plane w.
  __device__ void compute(C cell, int w, int lane) {
    const DeviceGrid<T> g = s_.grid;  // copies: what is in registers is not read again after every barrier
    const TilePlan plan = s_.plan;
    const bool there = i_ + w < g.nx;
    const detail::SharedAddress plane = rings_ + w * L::plane_bytes, ring = plane + lane * L::ring_bytes,
                                west = west_ + lane * chunk_bytes, north = north_ + w * chunk_bytes;
    const T inflow =
        there && lane < rows_ ? g.top[std::int64_t{i_ + w} * g.top_x + std::int64_t{j_ + lane} * g.top_y] : T(0);
    const std::int64_t tile = std::int64_t{place_.a} * plan.in_y + place_.b;
    const bool hands_on = static_cast<std::int32_t>(number_) != s_.withheld;
    const bool has_east = hands_on && w == planes_ - 1 && place_.a + 1 < plan.in_x && lane < rows_;
    const bool has_south = hands_on && lane == tile_rows - 1 && place_.b + 1 < plan.in_y;
    std::uint32_t* const east = s_.east + (tile * plan.east_chunks() + lane) * words;
    std::uint32_t* const south = s_.south + (tile * plan.south_chunks() + w) * words;
    const std::int32_t begin = -ahead - w, end = last_ - w;  // chunks of lane 0
    const auto chunks = static_cast<std::uint32_t>(detail::kept(plan.chunks));
    const int east_stride = tile_rows * words, south_stride = detail::kept(planes_ * words);
    typename L::Copies copies(g.row(i_ + w, j_), g.y, plane, there ? rows_ : 0, g.nz, g.z, begin - 1, lane);
    Chunk from_north{};  // what the lane before had in the step before
    T top = 0;
    for (std::int32_t now = begin; now < end; ++now) {
      detail::wait_for_copies<ahead - 1>();
      step_barrier();
      if (!there) continue;
      const std::int32_t c = now - lane;
      // Before its first chunk and after its last a lane computes what nobody reads.
      const bool works = static_cast<std::uint32_t>(c) < chunks;
      const int place = L::place(c);
      const int slot = (now + w) & (slots - 1);
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
        if (has_east) hand_on(east + std::int64_t{now} * east_stride, own);
        if (has_south) hand_on(south + std::int64_t{c + w} * south_stride, own);
      }
      __syncwarp();
      // Of the rows that began a line in the step before, the line before that leaves, which the warp beside has read
      // too, and the one after it takes its place.
      copies.store(-1);
      copies.load(1);
      copies.advance();
      detail::commit_copies();
    }
    detail::wait_for_copies<0>();
    step_barrier();
  }

  /// Warp `n` of those that bring: a chunk for each row of plane 0 and for row 0 of each plane, from other tiles or
  /// from the planes of inflow, for steps n, n + bringing_warps, …
  __device__ void bring(int n, int lane) {
    if (place_.a > 0)
      place_.b > 0 ? bring_from<true, true>(n, lane) : bring_from<true, false>(n, lane);
    else
      place_.b > 0 ? bring_from<false, true>(n, lane) : bring_from<false, false>(n, lane);
  }

 private:
  /// Where a lane's chunks come from: a face, or a row of a plane of inflow. A chunk that there is not is asked for,
  /// too, as another, which is not received.
  struct Face {
    std::uint32_t* face;  // of step 0
    std::int64_t stride;  // words from one step to the next
    std::int32_t last;    // step
    __device__ Words ask(std::int32_t step, std::int32_t) const { return load_face(face + min(step, last) * stride); }
    /// Waits until the chunk is there, and leaves nothing behind it.
    __device__ void receive(Tile& tile, std::int32_t step, Words& chunk) const {
      std::uint32_t* const at = face + step * stride;
      std::uint32_t beat = 0;
      std::uint64_t since = 0;
      for (int times = 1; !complete(chunk); ++times) {
        chunk = load_face(at);
        if (times % 1024 == 0 && tile.moves_no_more(beat, since)) break;  // what follows is no result, but it ends
      }
      Words none;
#pragma unroll
      for (int n = 0; n < words; ++n) none.w[n] = nothing;
      store_face(at, none);
    }
  };
  struct Inflow {
    const T* row;
    int z;
    std::int32_t last;  // cell
    __device__ Words ask(std::int32_t, std::int32_t c) const {
      Chunk chunk;
#pragma unroll
      for (int v = 0; v < V; ++v) chunk.cell[v] = row[std::int64_t{min(max(c, 0) * V + v, last)} * z];
      return cuda::std::bit_cast<Words>(chunk);
    }
    __device__ void receive(Tile&, std::int32_t, Words&) const {}
  };

  template <bool west_is_face, bool north_is_face>
  __device__ void bring_from(int n, int lane) {
    const DeviceGrid<T>& g = s_.grid;
    const TilePlan& plan = s_.plan;
    const std::int64_t tile = std::int64_t{place_.a} * plan.in_y + place_.b;
    const int row = min(lane, rows_ - 1), plane = min(lane, min(planes_, g.nx - i_) - 1);
    std::conditional_t<west_is_face, Face, Inflow> west;
    std::conditional_t<north_is_face, Face, Inflow> north;
    if constexpr (west_is_face)
      west = {s_.east + ((tile - plan.in_y) * plan.east_chunks() + row) * words, tile_rows * words,
              plan.chunks + tile_rows - 2};
    else
      west = {g.west + std::int64_t{j_ + row} * g.west_y, g.z, g.nz - 1};
    if constexpr (north_is_face)
      north = {s_.south + ((tile - 1) * plan.south_chunks() + plane) * words, planes_ * words,
               plan.chunks + planes_ - 2};
    else
      north = {g.north + std::int64_t{i_ + plane} * g.north_x, g.z, g.nz - 1};
    const auto is_chunk = [&](std::int32_t c) {
      return static_cast<std::uint32_t>(c) < static_cast<std::uint32_t>(plan.chunks);
    };

    Words from_west = west.ask(n, n - row), from_north = north.ask(n, n - plane);
    std::int32_t due = n;
    for (std::int32_t step = -ahead; step <= last_; ++step) {
      const bool mine = step == due && step < last_;
      if (mine) {
        if (lane == row && is_chunk(step - row)) {
          west.receive(*this, step, from_west);
          detail::write<words>(west_ + step % slots * west_bytes + row * chunk_bytes, from_west);
        }
        if (lane == plane && is_chunk(step - plane)) {
          north.receive(*this, step, from_north);
          detail::write<words>(north_ + step % slots * north_bytes + plane * chunk_bytes, from_north);
        }
      }
      step_barrier();
      if (mine) {
        due += bringing_warps;
        from_west = west.ask(due, due - row);
        from_north = north.ask(due, due - plane);
      }
      if (lane == 0 && n == 0 && step % 128 == 0)
        DeviceAtomic<std::uint32_t>(s_.control->beat).fetch_add(1, cuda::memory_order_relaxed);
    }
  }

  /// One step of all warps of the block, whatever they do in it.
  static __device__ void step_barrier() {
    __syncwarp();
    detail::block_barrier();
  }

  static __device__ Words load_face(const std::uint32_t* at) {
    Words v;
    if constexpr (words == 4)
      asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                   : "l"(at)
                   : "memory");
    else if constexpr (words == 2)
      asm volatile("ld.relaxed.gpu.global.v2.b32 {%0, %1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "l"(at) : "memory");
    else
      asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v.w[0]) : "l"(at) : "memory");
    return v;
  }
  static __device__ void store_face(std::uint32_t* at, const Words& v) {
    if constexpr (words == 4)
      asm volatile("st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.w[0]), "r"(v.w[1]),
                   "r"(v.w[2]), "r"(v.w[3])
                   : "memory");
    else if constexpr (words == 2)
      asm volatile("st.relaxed.gpu.global.v2.b32 [%0], {%1, %2};" ::"l"(at), "r"(v.w[0]), "r"(v.w[1]) : "memory");
    else
      asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(at), "r"(v.w[0]) : "memory");
  }
  static __device__ void hand_on(std::uint32_t* at, const Chunk& chunk) {
    auto value = cuda::std::bit_cast<Words>(chunk);
#pragma unroll
    for (int n = 0; n < words; ++n)
      if (value.w[n] == nothing) value.w[n] = nothing - 1;  // of a NaN: another
    store_face(at, value);
  }

  static __device__ bool complete(const Words& value) {
    bool all = true;
#pragma unroll
    for (int n = 0; n < words; ++n) all &= value.w[n] != nothing;
    return all;
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

// A warp of a tile that brings what comes from other tiles: each the chunks of every third step, a row of plane 0 and
// row 0 of a plane to a lane, asked for so many steps before they are due. Included by CUDA sources alone.
#pragma once

#include <cuda/atomic>

#include "speedwell/apps/wavefront/gpu/tile_sweep.hpp"

namespace speedwell::wavefront::detail {

inline constexpr int bringing_warps = 3;

template <class T, int V, int P, Rows rows>
class Bringer {
  using At = TileAt<T, V, P, rows>;
  using L = typename At::L;
  using Chunk = typename L::Chunk;
  template <class Word>
  using DeviceAtomic = cuda::atomic_ref<Word, cuda::thread_scope_device>;

 public:
  /// One of those that bring, which asks for its first; below 0 none, which has nothing to ask for.
  __device__ Bringer(const At& at, int who, int lane)
      : sweep_(at.sweep),
        number_(at.number),
        due_(who),
        beats_(who == 0 && lane == 0),
        has_plane_(lane < at.sweep.plan.planes),
        to_west_(kept(at.west + lane * At::chunk_bytes)),
        to_north_(kept(at.north + lane * At::chunk_bytes)),
        west_(at.sweep.west + (at.index() * at.sweep.plan.west_chunks() + lane) * V, tile_rows * V, who, lane,
              who >= 0 && lane < at.rows_there ? at.sweep.plan.chunks : 0),
        north_(at.sweep.north + (at.index() * at.sweep.plan.north_chunks() + lane) * V, at.sweep.plan.planes * V, who,
               lane / P,
               who >= 0 && lane < min(at.sweep.plan.planes, at.sweep.grid.nx - at.i) ? at.sweep.plan.chunks : 0) {}

  /// Before the barrier of a step: what was asked for, if it is due.
  __device__ void deliver(std::int32_t step) {
    if (step != due_) return;
    if (!(west_.complete() && north_.complete())) wait();
    const SharedAddress slot = step & (At::slots - 1);
    L::put(to_west_ + slot * At::west_bytes, west_.chunk);
    if (has_plane_) L::put_in_sweep_order(to_north_ + slot * At::north_bytes, north_.chunk);
  }
  /// And behind it: asks for the next.
  __device__ void ask(std::int32_t step) {
    if (step != due_) return;
    due_ += bringing_warps;
    west_.ask_next();
    north_.ask_next();
    if (beats_ && step % 128 == 0)
      DeviceAtomic<std::uint32_t>(sweep_.control->beat).fetch_add(1, cuda::memory_order_relaxed);
  }

 private:
  /// A chunk of a face that was asked for, which leaves nothing behind it in memory. Where there is none it is zero.
  struct Asked {
    const T* at;
    std::int64_t stride;  // to the next that this lane asks for
    std::int32_t c;
    std::uint32_t chunks;
    bool there;
    Chunk chunk{};

    /// Of step `step`, in which it is chunk step - `behind` of its row. `step_cells`: from step to step.
    __device__ Asked(const T* face, int step_cells, std::int32_t step, int behind, std::int32_t row_chunks)
        : at(face + std::int64_t{step} * step_cells),
          stride(kept(std::int64_t{bringing_warps} * step_cells)),
          c(step - behind),
          chunks(kept(static_cast<std::uint32_t>(row_chunks))),
          there(is_chunk(c, chunks)) {
      ask();
    }
    __device__ bool complete() const { return detail::complete(chunk.cell); }
    __device__ void ask() { ask_face(chunk.cell, at, there); }
    __device__ void ask_next() {
      if (there) {
        Chunk none;
#pragma unroll
        for (T& value : none.cell) value = nothing_as<T>();
        store_face(const_cast<T*>(at), none.cell);
      }
      at += stride;
      c += bringing_warps;
      there = is_chunk(c, chunks);
      chunk = Chunk{};
      ask();
    }
  };
  __device__ void wait() {
    std::uint32_t beat = 0;
    std::uint64_t since = 0;
    for (int times = 1; !(west_.complete() && north_.complete()); ++times) {
      west_.ask();
      north_.ask();
      if (times % 1024 == 0 && moves_no_more(beat, since)) return;  // what follows is no result, but it ends
    }
  }
  /// Whether no tile has made any progress for longer than anybody's patience.
  __device__ bool moves_no_more(std::uint32_t& beat, std::uint64_t& since) {
    if (DeviceAtomic<std::uint32_t>(sweep_.control->stalled).load(cuda::memory_order_relaxed) != 0) return true;
    const std::uint32_t heard = DeviceAtomic<std::uint32_t>(sweep_.control->beat).load(cuda::memory_order_relaxed);
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (since == 0 || heard != beat) {
      beat = heard;
      since = now;
      return false;
    }
    if (now - since < sweep_.patience_ns) return false;
    std::uint32_t none = 0;
    DeviceAtomic<std::uint32_t>(sweep_.control->stalled).compare_exchange_strong(none, number_ + 1);
    return true;
  }

  const TileSweep<T>& sweep_;
  std::uint32_t number_;
  std::int32_t due_;
  bool beats_, has_plane_;
  SharedAddress to_west_, to_north_;
  Asked west_, north_;
};

}  // namespace speedwell::wavefront::detail

// The halo loader, a producer warp of a tile: it loads the faces that other tiles send into shared memory. Three such
// warps take turns, each for every third step; a lane loads one row of plane 0 and row 0 of one plane. The loads are
// issued `loader_warps` steps before the values are due. Included by CUDA sources only.
#pragma once

#include <cuda/atomic>

#include "speedwell/apps/wavefront/gpu/tile_sweep.hpp"

namespace speedwell::wavefront::detail {

inline constexpr int loader_warps = 3;

/// `Linked`: the faces along x may come from another GPU.
template <class T, int V, int P, Rows rows, bool Linked>
class HaloLoader {
  using At = TileContext<T, V, P, rows>;
  using L = typename At::L;
  using CellVector = typename L::CellVector;
  template <class Word>
  using DeviceAtomic = cuda::atomic_ref<Word, cuda::thread_scope_device>;

 public:
  /// Loader number `loader` issues its first loads. Negative numbers are the sweeping warps, which load nothing.
  __device__ HaloLoader(const At& at, int loader, int lane)
      : sweep_(at.sweep),
        number_(at.number),
        due_step_(loader),
        reports_progress_(loader == 0 && lane == 0),
        has_plane_(lane < at.sweep.plan.planes),
        to_west_(opaque(at.west + lane * At::vector_bytes)),
        to_north_(opaque(at.north + lane * At::vector_bytes)),
        west_(at.sweep.west + (at.index() * at.sweep.plan.west_vectors() + lane) * V, tile_rows * V, loader, lane,
              loader >= 0 && lane < at.num_rows ? at.sweep.plan.vectors : 0),
        north_(at.sweep.north + (at.index() * at.sweep.plan.north_vectors() + lane) * V, at.sweep.plan.planes * V,
               loader, lane / P,
               loader >= 0 && lane < min(at.sweep.plan.planes, at.sweep.grid.nx - at.i) ? at.sweep.plan.vectors : 0) {}

  /// Called before the barrier of a step: stores the loaded values in shared memory if they are due in it.
  __device__ void deliver(std::int32_t step) {
    if (step != due_step_) return;
    if (!(west_.is_complete() && north_.is_complete())) wait();
    const SharedAddress slot = step & (At::slots - 1);
    L::put(to_west_ + slot * At::west_bytes, west_.vector);
    if (has_plane_) L::put_in_sweep_order(to_north_ + slot * At::north_bytes, north_.vector);
  }
  /// Called after the barrier: issues the next loads.
  __device__ void issue(std::int32_t step) {
    if (step != due_step_) return;
    due_step_ += loader_warps;
    west_.issue_next();
    north_.issue_next();
    if (reports_progress_ && step % 128 == 0)
      DeviceAtomic<std::uint32_t>(sweep_.control->progress).fetch_add(1, cuda::memory_order_relaxed);
  }

 private:
  /// The load of a vector of a face. After the load the memory is reset to empty_bits. Where there is no vector the
  /// value is zero.
  template <bool System>
  struct FaceLoad {
    const T* at;
    std::int64_t stride;  // to the next vector that this lane loads
    std::int32_t c;
    std::uint32_t vectors;
    bool exists;
    CellVector vector{};

    /// For step `step`, in which it is vector step - `lag` of its row. `step_cells` is the offset from one step to the
    /// next.
    __device__ FaceLoad(const T* face, int step_cells, std::int32_t step, int lag, std::int32_t row_vectors)
        : at(face + std::int64_t{step} * step_cells),
          stride(opaque(std::int64_t{loader_warps} * step_cells)),
          c(step - lag),
          vectors(opaque(static_cast<std::uint32_t>(row_vectors))),
          exists(is_vector(c, vectors)) {
      issue();
    }
    __device__ bool is_complete() const { return detail::is_complete(vector.cell); }
    __device__ void issue() { load_face_if<System>(vector.cell, at, exists); }
    __device__ void issue_next() {
      if (exists) {
        CellVector none;
#pragma unroll
        for (T& value : none.cell) value = empty_value<T>();
        store_face<System>(const_cast<T*>(at), none.cell);
      }
      at += stride;
      c += loader_warps;
      exists = is_vector(c, vectors);
      vector = CellVector{};
      issue();
    }
  };
  __device__ void wait() {
    const bool is_measured = Linked && sweep_.waited && number_ == 0 && reports_progress_;
    const std::uint64_t begin = is_measured ? nanoseconds() : 0;
    std::uint32_t progress = 0;
    std::uint64_t since = 0;
    for (int times = 1; !(west_.is_complete() && north_.is_complete()); ++times) {
      west_.issue();
      north_.issue();
      if (times % 1024 == 0 && is_stalled(progress, since)) return;  // the result is invalid, but the sweep terminates
    }
    if (is_measured) atomicAdd(sweep_.waited, nanoseconds() - begin);
  }
  static __device__ std::uint64_t nanoseconds() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
  }
  /// Whether no tile has made progress for longer than the timeout.
  __device__ bool is_stalled(std::uint32_t& progress, std::uint64_t& since) {
    if (DeviceAtomic<std::uint32_t>(sweep_.control->stalled).load(cuda::memory_order_relaxed) != 0) return true;
    const std::uint32_t current =
        DeviceAtomic<std::uint32_t>(sweep_.control->progress).load(cuda::memory_order_relaxed);
    const std::uint64_t now = nanoseconds();
    if (since == 0 || current != progress) {
      progress = current;
      since = now;
      return false;
    }
    if (now - since < sweep_.timeout_ns) return false;
    std::uint32_t none = 0;
    DeviceAtomic<std::uint32_t>(sweep_.control->stalled).compare_exchange_strong(none, number_ + 1);
    return true;
  }

  const TileSweep<T>& sweep_;
  std::uint32_t number_;
  std::int32_t due_step_;
  bool reports_progress_, has_plane_;
  SharedAddress to_west_, to_north_;
  FaceLoad<Linked> west_;
  FaceLoad<false> north_;
};

}  // namespace speedwell::wavefront::detail

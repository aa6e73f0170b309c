// Cache lines of rows in shared memory: copies from and to the grid, and the access of lanes to vectors of them.
// Addresses in shared memory are 32-bit numbers, which fit in one register. Included by CUDA sources only.
#pragma once

#include <bit>
#include <cstdint>
#include <cuda/std/bit>

#include "speedwell/apps/wavefront/gpu/device_grid.hpp"
#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"

namespace speedwell::wavefront::detail {

using SharedAddress = std::uint32_t;

template <int bytes>
__device__ void copy_async(SharedAddress to, const void* from) {
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
}
/// Returns its argument, hides its origin from the compiler and thereby keeps it in a register.
template <class Number>
__device__ Number opaque(Number number) {
  Number same;
  if constexpr (sizeof(Number) == 4)
    asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(number));
  else
    asm volatile("mov.b64 %0, %1;" : "=l"(same) : "l"(number));
  return same;
}
inline __device__ SharedAddress shared_address(const void* p) {
  return opaque(static_cast<SharedAddress>(__cvta_generic_to_shared(p)));
}

inline __device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int newer>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(newer) : "memory");
}

template <int words>
struct Words {
  std::uint32_t w[words];
};
template <int words>
__device__ Words<words> read(SharedAddress at) {
  Words<words> v;
  if constexpr (words == 4)
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "r"(at)
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "r"(at) : "memory");
  else
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v.w[0]) : "r"(at) : "memory");
  return v;
}
template <int words>
__device__ void write(SharedAddress at, const Words<words>& v) {
  if constexpr (words == 4)
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]),
                 "r"(v.w[3])
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(at), "r"(v.w[0]), "r"(v.w[1]) : "memory");
  else
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(v.w[0]) : "memory");
}

/// Layout of rows in memory: aligned units of 16 bytes in or against the direction of the sweep, or any other layout,
/// which is copied cell by cell.
enum class Rows { forwards, backwards, cells };

/// Rows of the planes of a warp.
template <class T, int V, int warp_planes, Rows rows>
struct Lines {
  static constexpr int vectors_per_line = TileSteps(V, sizeof(T)).vectors_per_line;
  static constexpr int log2_vectors_per_line = std::countr_zero(static_cast<unsigned>(vectors_per_line));
  static constexpr int line_cells = line_bytes / static_cast<int>(sizeof(T));
  static constexpr int unit_cells = unit_bytes / static_cast<int>(sizeof(T));
  static constexpr int ring_bytes = TileSteps::lines_in_ring * line_bytes;  // of a row
  static constexpr int plane_bytes = tile_rows * ring_bytes;
  static_assert(TileSteps::lines_in_ring == 2);  // so that the slot of the next line is the other one
  static_assert((vectors_per_line & (vectors_per_line - 1)) == 0 && vectors_per_line >= 8 && V <= unit_cells);
  static constexpr int words = V * static_cast<int>(sizeof(T)) / 4;

  /// A lane's share of the copies of a warp. In every step it copies an eighth of a line of one row of each plane (one
  /// unit, or every eighth cell). It proceeds by one row per step, and after the last row to the next line of the
  /// first.
  class Copies {
   public:
    /// Lane `lane` begins with step `step` at the rows in which a line begins in that step. `cells` is the first row in
    /// global memory, `rings` the ring buffers in shared memory; `num_rows` and `planes` are the numbers of existing
    /// rows and planes.
    __device__ Copies(T* cells, const DeviceGrid<T>& g, SharedAddress rings, int num_rows, int planes,
                      std::int32_t step, int lane)
        : part_(lane % 8),
          rows_(num_rows),
          planes_(planes),
          z_(g.z),
          nz_(g.nz),
          round_(step & (vectors_per_line - 1)),
          row_(round_ + lane / 8 * vectors_per_line),
          line_((step - row_) >> log2_vectors_per_line),
          ring_(rings + row_ * ring_bytes + ((line_ + 1) & 1) * line_bytes),
          at_(cells + row_ * g.y + offset(line_)),
          row_step_(opaque(g.y)),
          round_stride_(opaque(offset(1) - (vectors_per_line - 1) * g.y)),
          plane_step_(opaque(g.x)) {
      if constexpr (rows != Rows::cells) {
        lines_ = (g.nz - part_ * unit_cells + line_cells - 1) / line_cells;
        ring_ += part_ * unit_bytes;
        at_ += rows == Rows::forwards ? part_ * unit_cells : -(part_ * unit_cells + unit_cells - 1);
      } else {
        lines_ = (g.nz + line_cells - 1) / line_cells;
      }
    }
    /// Copies the line after the one that begins in this step to the ring buffers of its rows.
    __device__ void load_next() const {
      const bool now = contains(line_ + 1);
#pragma unroll
      for (int p = 0; p < warp_planes; ++p)
        if (now && p < planes_) load(line_ + 1, ring_ + p * plane_bytes, at_ + p * plane_step_ + offset(1));
    }
    /// Copies the line before it back to the grid from the same slot.
    __device__ void store_last() const {
      const bool now = contains(line_ - 1);
#pragma unroll
      for (int p = 0; p < warp_planes; ++p)
        if (now && p < planes_) store(line_ - 1, ring_ + p * plane_bytes, at_ + p * plane_step_ + offset(-1));
    }
    /// Proceeds to the next step.
    __device__ void advance() {
      const bool wraps = round_ == vectors_per_line - 1;
      round_ = wraps ? 0 : round_ + 1;
      row_ += wraps ? 1 - vectors_per_line : 1;
      ring_ = wraps ? (ring_ - (vectors_per_line - 1) * ring_bytes) ^ line_bytes : ring_ + ring_bytes;
      at_ += wraps ? round_stride_ : row_step_;
      line_ += wraps;
    }

   private:
    __device__ bool contains(std::int32_t line) const {
      return row_ < rows_ && static_cast<std::uint32_t>(line) < static_cast<std::uint32_t>(lines_);
    }
    __device__ std::int64_t offset(std::int32_t of_lines) const {
      if constexpr (rows == Rows::forwards) return std::int64_t{of_lines} * line_cells;
      if constexpr (rows == Rows::backwards) return std::int64_t{of_lines} * -line_cells;
      return std::int64_t{of_lines} * line_cells * z_;
    }
    __device__ void load(std::int32_t line, SharedAddress to, const T* from) const {
      if constexpr (rows == Rows::cells) {
        for (int e = part_; e < line_cells && line * line_cells + e < nz_; e += 8)
          copy_async<sizeof(T)>(to + e * static_cast<int>(sizeof(T)), from + std::int64_t{e} * z_);
      } else {
        copy_async<unit_bytes>(to, from);
      }
    }
    __device__ void store(std::int32_t line, SharedAddress from, T* to) const {
      if constexpr (rows == Rows::cells) {
        constexpr int cell_words = sizeof(T) / 4;
        for (int e = part_; e < line_cells && line * line_cells + e < nz_; e += 8)
          to[std::int64_t{e} * z_] = cuda::std::bit_cast<T>(read<cell_words>(from + e * static_cast<int>(sizeof(T))));
      } else {
        *reinterpret_cast<int4*>(to) = cuda::std::bit_cast<int4>(read<4>(from));
      }
    }

    int part_, rows_, planes_;
    int z_;
    std::int32_t nz_;
    int round_, row_;
    std::int32_t line_, lines_ = 0;
    SharedAddress ring_;
    T* at_;
    std::int64_t row_step_;
    std::int64_t round_stride_;  // stride from the last row of a round to the first of the next
    std::int64_t plane_step_;
  };

  /// Offset of vector `c` in the ring buffer of a row; defined for all integers.
  static __device__ int ring_offset(std::int32_t c) {
    const int cell = (c & (TileSteps::lines_in_ring * vectors_per_line - 1)) * V;
    if constexpr (rows == Rows::backwards && V < unit_cells)
      return (cell / unit_cells * unit_cells + unit_cells - V - cell % unit_cells) * static_cast<int>(sizeof(T));
    else
      return cell * static_cast<int>(sizeof(T));
  }
  struct CellVector {
    T cell[V];  // in the order of the sweep
  };
  static __device__ CellVector in_sweep_order(SharedAddress at) {
    return cuda::std::bit_cast<CellVector>(read<words>(at));
  }
  static __device__ CellVector get(SharedAddress at) {
    return in_order(cuda::std::bit_cast<CellVector>(read<words>(at)));
  }
  static __device__ void put(SharedAddress at, const CellVector& vector) { put_in_sweep_order(at, in_order(vector)); }
  static __device__ void put_in_sweep_order(SharedAddress at, const CellVector& vector) {
    write<words>(at, cuda::std::bit_cast<Words<words>>(vector));
  }

 private:
  static __device__ CellVector in_order(const CellVector& vector) {
    CellVector reordered;
#pragma unroll
    for (int v = 0; v < V; ++v) reordered.cell[v] = vector.cell[rows == Rows::backwards ? V - 1 - v : v];
    return reordered;
  }
};

}  // namespace speedwell::wavefront::detail

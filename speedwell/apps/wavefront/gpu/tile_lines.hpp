// The lines of rows in shared memory: copies from and to the grid, and the chunks that lanes take from them. Addresses
// in shared memory are 32-bit numbers here, which stay in a register. Included by CUDA sources alone.
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
/// The same number, of which the compiler does not know where it came from, so that it stays in a register.
template <class Number>
__device__ Number kept(Number number) {
  Number same;
  if constexpr (sizeof(Number) == 4)
    asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(number));
  else
    asm volatile("mov.b64 %0, %1;" : "=l"(same) : "l"(number));
  return same;
}
inline __device__ SharedAddress shared_address(const void* p) {
  return kept(static_cast<SharedAddress>(__cvta_generic_to_shared(p)));
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

/// How rows lie in memory: in whole units of 16 bytes, each beginning at one, with the sweep or against it; or anyhow,
/// and then they are copied cell by cell.
enum class Rows { forwards, backwards, cells };

/// Of warps with so many planes.
template <class T, int V, int warp_planes, Rows rows>
struct Lines {
  static constexpr int in_line = TileSteps(V, sizeof(T)).in_line;  // chunks
  static constexpr int log2_in_line = std::countr_zero(static_cast<unsigned>(in_line));
  static constexpr int line_cells = line_bytes / static_cast<int>(sizeof(T));
  static constexpr int unit_cells = unit_bytes / static_cast<int>(sizeof(T));
  static constexpr int ring_bytes = TileSteps::lines_kept * line_bytes;  // of a row
  static constexpr int plane_bytes = tile_rows * ring_bytes;
  static_assert(TileSteps::lines_kept == 2);  // so that the next line's place is the other
  static_assert((in_line & (in_line - 1)) == 0 && in_line >= 8 && V <= unit_cells);
  static constexpr int words = V * static_cast<int>(sizeof(T)) / 4;

  /// A lane's share of the copies of a warp's rows: of every step it copies a part of one row of each plane, an eighth
  /// of its line (one unit, or cells eight apart). Rows go round, one further in each step, and then to their next
  /// line.
  class Copies {
   public:
    /// Lane `lane` begins with step `step`: with the rows of which a line begins in it. `cells`: the first row in
    /// memory; `rings`: in shared memory; `rows_there`, `planes`: how many there are.
    __device__ Copies(T* cells, const DeviceGrid<T>& g, SharedAddress rings, int rows_there, int planes,
                      std::int32_t step, int lane)
        : part_(lane % 8),
          rows_(rows_there),
          planes_(planes),
          z_(g.z),
          nz_(g.nz),
          round_(step & (in_line - 1)),
          row_(round_ + lane / 8 * in_line),
          line_((step - row_) >> log2_in_line),
          ring_(rings + row_ * ring_bytes + ((line_ + 1) & 1) * line_bytes),
          at_(cells + row_ * g.y + offset(line_)),
          row_step_(kept(g.y)),
          turn_(kept(offset(1) - (in_line - 1) * g.y)),
          plane_step_(kept(g.x)) {
      if constexpr (rows != Rows::cells) {
        lines_ = (g.nz - part_ * unit_cells + line_cells - 1) / line_cells;
        ring_ += part_ * unit_bytes;
        at_ += rows == Rows::forwards ? part_ * unit_cells : -(part_ * unit_cells + unit_cells - 1);
      } else {
        lines_ = (g.nz + line_cells - 1) / line_cells;
      }
    }
    /// Copies the line after the one that begins in this step into its rows' rings.
    __device__ void load_next() const {
      const bool now = there(line_ + 1);
#pragma unroll
      for (int p = 0; p < warp_planes; ++p)
        if (now && p < planes_) load(line_ + 1, ring_ + p * plane_bytes, at_ + p * plane_step_ + offset(1));
    }
    /// And the line before it back, from the same place.
    __device__ void store_last() const {
      const bool now = there(line_ - 1);
#pragma unroll
      for (int p = 0; p < warp_planes; ++p)
        if (now && p < planes_) store(line_ - 1, ring_ + p * plane_bytes, at_ + p * plane_step_ + offset(-1));
    }
    /// To the next step.
    __device__ void advance() {
      const bool turn = round_ == in_line - 1;
      round_ = turn ? 0 : round_ + 1;
      row_ += turn ? 1 - in_line : 1;
      ring_ = turn ? (ring_ - (in_line - 1) * ring_bytes) ^ line_bytes : ring_ + ring_bytes;
      at_ += turn ? turn_ : row_step_;
      line_ += turn;
    }

   private:
    __device__ bool there(std::int32_t line) const {
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
    std::int64_t turn_;  // from the last row of a round to the first of the next
    std::int64_t plane_step_;
  };

  /// Where chunk `c` lies in a row's ring; of any number one.
  static __device__ int place(std::int32_t c) {
    const int cell = (c & (TileSteps::lines_kept * in_line - 1)) * V;
    if constexpr (rows == Rows::backwards && V < unit_cells)
      return (cell / unit_cells * unit_cells + unit_cells - V - cell % unit_cells) * static_cast<int>(sizeof(T));
    else
      return cell * static_cast<int>(sizeof(T));
  }
  struct Chunk {
    T cell[V];  // in the order of the sweep
  };
  static __device__ Chunk in_sweep_order(SharedAddress at) { return cuda::std::bit_cast<Chunk>(read<words>(at)); }
  static __device__ Chunk get(SharedAddress at) { return in_order(cuda::std::bit_cast<Chunk>(read<words>(at))); }
  static __device__ void put(SharedAddress at, const Chunk& chunk) { put_in_sweep_order(at, in_order(chunk)); }
  static __device__ void put_in_sweep_order(SharedAddress at, const Chunk& chunk) {
    write<words>(at, cuda::std::bit_cast<Words<words>>(chunk));
  }

 private:
  static __device__ Chunk in_order(const Chunk& chunk) {
    Chunk turned;
#pragma unroll
    for (int v = 0; v < V; ++v) turned.cell[v] = chunk.cell[rows == Rows::backwards ? V - 1 - v : v];
    return turned;
  }
};

}  // namespace speedwell::wavefront::detail

// What the kernels share in which a block solves the systems of neighbouring modes, a warp for each, with all their
// rows in shared memory. For CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/incompressible_flow/gpu/chunks.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow::gpu {

constexpr int lanes = 32;
constexpr unsigned whole_warp = 0xffffffffu;
/// Modes per block: 128 bytes of a row.
template <class T>
constexpr int width = 64 / sizeof(T);

template <class T>
__device__ __forceinline__ Equation<T> from_lane(const Equation<T>& e, int lane) {
  return {__shfl_sync(whole_warp, e.before, lane), __shfl_sync(whole_warp, e.sum, lane),
          __shfl_sync(whole_warp, e.after, lane), __shfl_sync(whole_warp, e.re, lane),
          __shfl_sync(whole_warp, e.im, lane)};
}
template <class T>
__device__ __forceinline__ FirstRowEquation<T> from_lane(const FirstRowEquation<T>& h, int lane) {
  return {__shfl_sync(whole_warp, h.before, lane), __shfl_sync(whole_warp, h.sum, lane),
          __shfl_sync(whole_warp, h.last, lane), __shfl_sync(whole_warp, h.re, lane),
          __shfl_sync(whole_warp, h.im, lane)};
}

/// Shared memory of a block for systems of M rows per lane.
template <class T, int M>
constexpr std::size_t shared_bytes() {
  constexpr int n = M * lanes;
  return (2 * (static_cast<std::size_t>(n) * width<T> + lanes) + 2 * (n + lanes)) * sizeof(T);
}

/// A thread of a block: its index, its warp, and its lane in that.
struct WarpThread {
  int index = static_cast<int>(threadIdx.x);
  int warp = index / lanes, lane = index % lanes;
};

/// The systems of one block: those of width<T> neighbouring modes with one y, M rows per lane, in shared memory.
template <class T, int M>
struct WarpSystems {
  static constexpr int rows = M * lanes, threads = width<T> * lanes;
  ComplexOf<T>* values;  // right-hand sides, then unknowns, at shared_offset()
  T *low, *high;         // the coefficients of the rows below and above, at skewed()
  int modes, first, y;   // modes of a row; the block's first mode, and its row of modes
  WarpThread thread;
  std::int64_t plane, corner;  // values of a plane; offset of the block's first mode in one
  int column;                  // the mode of the block whose values this thread loads and stores
  bool inside;                 // whether there is that mode

  /// `memory`: shared_bytes<T, M>() of the block.
  __device__ __forceinline__ WarpSystems(const Lines<T>& l, unsigned char* memory, const WarpThread& this_thread,
                                         int modes_of_row, int first_mode, int row_of_modes)
      : values(reinterpret_cast<ComplexOf<T>*>(memory)),
        low(reinterpret_cast<T*>(values + rows * width<T> + lanes)),
        high(low + rows + lanes),
        modes(modes_of_row),
        first(first_mode),
        y(row_of_modes),
        thread(this_thread),
        plane(static_cast<std::int64_t>(l.ny) * modes),
        corner(static_cast<std::int64_t>(y) * modes + first),
        column(thread.index % width<T>),
        inside(first + column < modes) {}

  /// Loads the coefficients and the scaled right-hand sides. All threads of the block take part and may then use them.
  __device__ __forceinline__ void load(const Lines<T>& l) const {
    for (int r = thread.index; r < rows; r += threads) {
      low[skewed<M>(r)] = l.low[r];
      high[skewed<M>(r)] = l.high[r];
    }
#pragma unroll
    for (int r = thread.index / width<T>; r < rows; r += lanes) {
      ComplexOf<T> v = {T(0), T(0)};
      if (inside) v = l.spectrum[r * plane + corner + column];
      values[shared_offset<M>(r, column, width<T>)] = {v.re * l.scale, v.im * l.scale};
    }
    __syncthreads();
  }

  /// Stores the unknowns of all threads of the block.
  __device__ __forceinline__ void store(const Lines<T>& l) const {
    __syncthreads();
    if (!inside) return;
#pragma unroll
    for (int r = thread.index / width<T>; r < rows; r += lanes)
      l.spectrum[r * plane + corner + column] = values[shared_offset<M>(r, column, width<T>)];
  }
};

/// Calls solve(row, right, value, keep) with the rows of this lane as functions of their index from 0 to M - 1, as
/// Chunk needs them: coefficients, right-hand sides, values in shared memory, and what stores one. `pins`: the lane's
/// first unknown is 0.
template <class T, int M, class Solve>
__device__ __forceinline__ void with_lane_rows(const WarpSystems<T, M>& systems, T eigenvalue, bool pins,
                                               const Solve& solve) {
  const int top = systems.thread.lane * M;
  const auto row = [&](int i) -> Row<T> {
    if (i == 0 && pins) return {T(0), T(1), T(0)};
    return {systems.low[skewed<M>(top + i)], eigenvalue, systems.high[skewed<M>(top + i)]};
  };
  const auto value = [&](int i) -> ComplexOf<T>& {
    return systems.values[shared_offset<M>(top + i, systems.thread.warp, width<T>)];
  };
  const auto right = [&](int i) { return i == 0 && pins ? ComplexOf<T>{T(0), T(0)} : value(i); };
  const auto keep = [&](int i, T re, T im) { value(i) = {re, im}; };
  solve(row, right, value, keep);
}

/// Calls launch(M) with the number of rows per lane, as a template argument, and returns true if a warp solves systems
/// of `rows` rows on the current device: 64 to 1024, a power of two.
template <class T, class Launch>
bool with_rows_per_lane(int rows, const Launch& launch) {
  int device = 0, shared = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const auto fits = [&](std::size_t bytes) { return bytes <= static_cast<std::size_t>(shared); };
  switch (rows) {
    case 64:
      return launch.template operator()<2>(), true;
    case 128:
      return launch.template operator()<4>(), true;
    case 256:
      return launch.template operator()<8>(), true;
    case 512:
      if (!fits(shared_bytes<T, 16>())) return false;
      return launch.template operator()<16>(), true;
    case 1024:
      if (!fits(shared_bytes<T, 32>())) return false;
      return launch.template operator()<32>(), true;
    default:
      return false;
  }
}

}  // namespace speedwell::incompressible_flow::gpu

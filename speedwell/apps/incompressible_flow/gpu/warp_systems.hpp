// What the kernels share in which a block solves the systems of neighbouring modes, a warp for each, with all their
// rows in shared memory. For CUDA sources only.
#pragma once

#include <cstddef>

#include "speedwell/apps/incompressible_flow/gpu/chunks.hpp"
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

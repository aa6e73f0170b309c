// Passes whose result is divided among several GPUs along the axis that they transform: the points of a column go
// straight into the memory of the GPUs that have their planes. Included by CUDA sources only.
#pragma once

#include <string>

#include "speedwell/numerics/fft/gpu/device/plane_store_threads.hpp"
#include "speedwell/numerics/fft/gpu/kernels/sampled_passes.hpp"

namespace speedwell::fft::gpu {

/// Stores point z of each line into plane z, wherever that is.
template <class T>
struct ToPlanes {
  const unsigned long long* plane;  // the address of the first point of each plane, in device memory
  std::int64_t first;               // the index in a plane of the points of line 0; those of the others follow

  struct Line {
    const unsigned long long* plane;
    std::int64_t at;
    int width;
    // The table is read-only, so that all addresses can be loaded before the first store.
    __device__ void operator()(int e, Complex<T> z) const {
      auto* const points = reinterpret_cast<Complex<T>*>(__ldg(plane + e * width));
      detail::put<CachePolicy::all_levels>(points + at, z);
    }
    __device__ void any(int e, Complex<T> z) const { (*this)(e, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout&) const {
    return {plane + lane, first + number, width};
  }
};

/// The blocks of such a pass that the current device holds at a time. Throws core::Unavailable if it has too little
/// shared memory for one.
template <class T>
int resident_plane_store_blocks(int log_n) {
  const int max_bytes = core::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (plane_store_shared_bytes<T>(log_n) > max_bytes)
    throw core::Unavailable("fft: columns of " + std::to_string(1 << log_n) + " points take " +
                            std::to_string(plane_store_shared_bytes<T>(log_n)) +
                            " bytes of shared memory to be stored in other GPUs; a block of this GPU has at most " +
                            std::to_string(max_bytes));
  return core::device_attribute(cudaDevAttrMultiProcessorCount) * (resident_threads<T> / plane_store_threads<T>(log_n));
}

/// Enqueues the pass, which loads its lines with `Load`, Weighted<T> or FromMemory<T>. At most `max_blocks` >= 1 blocks
/// do it, one group of lines after another, so that they leave multiprocessors to kernels on other streams. pass.out is
/// not used.
template <class T, class Load>
void store_columns_in_planes(int log_n, const Pass<T>& pass, const Load& in, const ToPlanes<T>& out, int max_blocks,
                             const core::Stream& stream);

}  // namespace speedwell::fft::gpu

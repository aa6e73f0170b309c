// Reductions over all threads of a grid in a fixed order: lanes, warps, blocks. The block that finishes last adds the
// partial sums of the others.
#pragma once

#include <cstddef>

#include "speedwell/core/cuda.hpp"

namespace speedwell::numerics {

/// Workspace for the partial sums of blocks; used by one kernel at a time.
struct SumWorkspace {
  double* partial = nullptr;  // as many per block as there are sums
  unsigned* done = nullptr;   // number of finished blocks; 0 between kernels
  double* sums = nullptr;     // optional results
  std::size_t blocks = 0;     // capacity of `partial`
};

#ifdef __CUDACC__  // interfaces that name the workspace are read by host compilers, too

/// Terms of n simultaneous sums.
template <int n>
struct Terms {
  double v[n] = {};
  __device__ double& operator[](int i) { return v[i]; }
  __device__ double operator[](int i) const { return v[i]; }
};

template <int n>
__device__ inline Terms<n> warp_sum(Terms<n> value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < n; ++i) value[i] += __shfl_down_sync(~0u, value[i], distance);
  return value;
}

/// The sum over a block of at most 1024 threads, a multiple of 32; valid in thread 0.
template <int n>
__device__ inline Terms<n> block_sum(Terms<n> value) {
  __shared__ double warp_sums[32][n];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  value = warp_sum(value);
  __syncthreads();  // warp_sums may still be in use by the preceding sum
  if (thread % 32 == 0)
    for (int i = 0; i < n; ++i) warp_sums[thread / 32][i] = value[i];
  __syncthreads();
  Terms<n> total;
  if (thread < 32) {
    if (thread < threads / 32)
      for (int i = 0; i < n; ++i) total[i] = warp_sums[thread][i];
    total = warp_sum(total);
  }
  return total;
}

/// Must be called by all threads of all blocks. One thread calls finish(total) once, after all blocks have contributed.
template <int n, class Finish>
__device__ void grid_sum(Terms<n> value, const SumWorkspace& space, const Finish& finish) {
  const Terms<n> block_total = block_sum(value);
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  __shared__ bool last;
  if (thread == 0) {
    for (int i = 0; i < n; ++i) space.partial[n * std::size_t{block} + i] = block_total[i];
    __threadfence();  // makes the partial sums visible before the count
    last = atomicAdd(space.done, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Terms<n> total;
  for (unsigned b = thread; b < blocks; b += threads)
    for (int i = 0; i < n; ++i) total[i] += __ldcg(space.partial + n * std::size_t{b} + i);
  total = block_sum(total);
  if (thread == 0) {
    *space.done = 0;
    finish(total);
  }
}

#endif

}  // namespace speedwell::numerics

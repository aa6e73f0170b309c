// Sums over all threads of a grid, in stages and in a fixed order: lanes, warps, blocks. The block that ends last adds
// up what the others left.
#pragma once

#include <cstddef>

#include "speedwell/core/cuda.hpp"

namespace speedwell::numerics {

/// Where the sums of blocks wait for their addition: for one kernel at a time.
struct SumWorkspace {
  double* partial = nullptr;  // as many for each block as there are sums
  unsigned* done = nullptr;   // 0 between kernels
  double* sums = nullptr;     // for whoever wants to keep them
  std::size_t blocks = 0;     // that `partial` has room for
};

#ifdef __CUDACC__  // interfaces that name the workspace are read by host compilers, too

/// n sums that are made together.
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

/// To thread 0 of a block of at most 1024 threads, a multiple of 32.
template <int n>
__device__ inline Terms<n> block_sum(Terms<n> value) {
  __shared__ double of_warp[32][n];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  value = warp_sum(value);
  __syncthreads();  // of_warp may still be read from the sum before
  if (thread % 32 == 0)
    for (int i = 0; i < n; ++i) of_warp[thread / 32][i] = value[i];
  __syncthreads();
  Terms<n> total;
  if (thread < 32) {
    if (thread < threads / 32)
      for (int i = 0; i < n; ++i) total[i] = of_warp[thread][i];
    total = warp_sum(total);
  }
  return total;
}

/// Called by all threads of all blocks. finish(total) is called once, by one thread, when every block has come.
template <int n, class Finish>
__device__ void grid_sum(Terms<n> value, const SumWorkspace& space, const Finish& finish) {
  const Terms<n> of_block = block_sum(value);
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  __shared__ bool last;
  if (thread == 0) {
    for (int i = 0; i < n; ++i) space.partial[n * std::size_t{block} + i] = of_block[i];
    __threadfence();  // the partial sums are seen before the count
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

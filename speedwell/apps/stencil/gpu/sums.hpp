// Sums of two numbers over all threads of a grid, in stages and in a fixed order: lanes, warps, blocks. The block that
// ends last adds up what the others left. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/stencil/gpu/launch.hpp"

namespace speedwell::stencil::device {

struct Two {
  double a = 0, b = 0;
};

__device__ inline Two warp_sum(Two value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value.a += __shfl_down_sync(~0u, value.a, distance);
    value.b += __shfl_down_sync(~0u, value.b, distance);
  }
  return value;
}

/// To thread 0 of a block of at most 1024 threads, a multiple of 32.
__device__ inline Two block_sum(Two value) {
  __shared__ Two of_warp[32];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  value = warp_sum(value);
  __syncthreads();  // of_warp may still be read from the sum before
  if (thread % 32 == 0) of_warp[thread / 32] = value;
  __syncthreads();
  Two total;
  if (thread < 32) {
    if (thread < threads / 32) total = of_warp[thread];
    total = warp_sum(total);
  }
  return total;
}

/// Called by all threads of all blocks. finish(total) is called once, by one thread, when every block has come.
template <class Finish>
__device__ void grid_sum(Two value, const SumWorkspace& space, const Finish& finish) {
  const Two of_block = block_sum(value);
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  __shared__ bool last;
  if (thread == 0) {
    space.partial[2 * block] = of_block.a;
    space.partial[2 * block + 1] = of_block.b;
    __threadfence();  // the partial sums are seen before the count
    last = atomicAdd(space.done, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Two total;
  for (unsigned b = thread; b < blocks; b += threads) {
    total.a += __ldcg(space.partial + 2 * b);
    total.b += __ldcg(space.partial + 2 * b + 1);
  }
  total = block_sum(total);
  if (thread == 0) {
    *space.done = 0;
    finish(total);
  }
}

}  // namespace speedwell::stencil::device

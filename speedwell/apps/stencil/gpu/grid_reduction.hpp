// Grid-wide reduction and barrier within a kernel, for a grid whose blocks are all resident. Included by CUDA sources
// only.
#pragma once

#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::stencil::device {

using Sum = numerics::Terms<1>;

/// A grid-wide sum that is also a barrier, split into arrive() and wait(). Every block obtains the same bits. Blocks
/// must be 32 threads wide.
class GridReduction {
 public:
  __device__ GridReduction(double* partial, unsigned* arrived, int blocks, int block)
      : partial_(partial), arrived_(arrived), blocks_(blocks), block_(block) {}

  /// Called by all threads. Their preceding writes to global memory are visible to all threads after wait().
  __device__ void arrive(double value) {
    const Sum block_total = numerics::block_sum(Sum{{value}});
    ++round_;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      __stcg(partial_ + (round_ % 2) * blocks_ + block_, block_total[0]);
      __threadfence();
      atomicAdd(arrived_, 1u);
    }
  }
  __device__ double wait() {
    __shared__ double total;
    if (threadIdx.y == 0) {
      const unsigned all = round_ * static_cast<unsigned>(blocks_);
      if (threadIdx.x == 0)
        while (static_cast<int>(load_acquire(arrived_) - all) < 0) {
        }
      __syncwarp();
      Sum sum;
      for (int b = static_cast<int>(threadIdx.x); b < blocks_; b += 32)
        sum[0] += __ldcg(partial_ + (round_ % 2) * blocks_ + b);
      sum = numerics::warp_sum(sum);
      if (threadIdx.x == 0) total = sum[0];
    }
    __syncthreads();
    return total;
  }

 private:
  __device__ static unsigned load_acquire(const unsigned* p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
  }
  double* partial_;
  unsigned* arrived_;
  int blocks_, block_;
  unsigned round_ = 0;
};

}  // namespace speedwell::stencil::device

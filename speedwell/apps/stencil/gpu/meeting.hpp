// How blocks that are all resident wait for each other within a kernel. Included by CUDA sources alone.
#pragma once

#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::stencil::device {

using Sum = numerics::Terms<1>;

/// Sums over all blocks, which wait for each other by it: arrive(), then await(). Every block gets the same bits.
/// Blocks are 32 threads wide.
class Meeting {
 public:
  __device__ Meeting(double* partial, unsigned* arrived, int blocks, int block)
      : partial_(partial), arrived_(arrived), blocks_(blocks), block_(block) {}

  /// All threads. What they have written to global memory before is seen by all after await().
  __device__ void arrive(double value) {
    const Sum of_block = numerics::block_sum(Sum{{value}});
    ++turn_;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      __stcg(partial_ + (turn_ % 2) * blocks_ + block_, of_block[0]);
      __threadfence();
      atomicAdd(arrived_, 1u);
    }
  }
  __device__ double await() {
    __shared__ double total;
    if (threadIdx.y == 0) {
      const unsigned all = turn_ * static_cast<unsigned>(blocks_);
      if (threadIdx.x == 0)
        while (static_cast<int>(load_acquire(arrived_) - all) < 0) {
        }
      __syncwarp();
      Sum sum;
      for (int b = static_cast<int>(threadIdx.x); b < blocks_; b += 32)
        sum[0] += __ldcg(partial_ + (turn_ % 2) * blocks_ + b);
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
  unsigned turn_ = 0;
};

}  // namespace speedwell::stencil::device

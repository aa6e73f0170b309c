// Reduction of the threads' sums and counts to the result, in a fixed order. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/npb/ep/gpu/launch.hpp"

namespace speedwell::npb::ep {

/// The sum over a warp, in its first lane.
template <class T>
__device__ T sum_of_warp(T value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
  return value;
}

/// Reduces the results of the threads of a block and writes them. All threads take part; at most 32 warps.
__device__ inline void write_block_sums(const DeviceResult& own, DeviceResult& block) {
  __shared__ DeviceResult warp_results[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (const double sum = sum_of_warp(own.sums[i]); lane == 0) warp_results[warp].sums[i] = sum;
#pragma unroll
  for (int l = 0; l < annuli; ++l)
    if (const auto count = sum_of_warp(own.counts[l]); lane == 0) warp_results[warp].counts[l] = count;
  __syncthreads();
  const auto add = [&](auto field) {
    auto sum = field(warp_results[0]);
    for (int w = 1; w < warps; ++w) sum += field(warp_results[w]);
    return sum;
  };
  const int i = threadIdx.x;
  if (i < 2) block.sums[i] = add([&](const DeviceResult& r) { return r.sums[i]; });
  if (i < annuli) block.counts[i] = add([&](const DeviceResult& r) { return r.counts[i]; });
}

/// Enqueues result = the sum of the first `blocks` partials.
void add_partials(const Operands& p, int blocks, const core::Stream& stream);

}  // namespace speedwell::npb::ep

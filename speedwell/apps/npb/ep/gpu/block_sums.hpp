// From threads' sums and counts to the result, in an order that is always the same. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/npb/ep/gpu/launch.hpp"

namespace speedwell::npb::ep {

/// The sum over a warp, in its first lane.
template <class T>
__device__ T sum_of_warp(T value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
  return value;
}

/// Adds up what the threads of a block have, warp by warp, and writes it. All threads take part; at most 32 warps.
__device__ inline void write_block_sums(const DeviceResult& mine, DeviceResult& block) {
  __shared__ DeviceResult of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (const double sum = sum_of_warp(mine.sums[i]); lane == 0) of_warp[warp].sums[i] = sum;
#pragma unroll
  for (int l = 0; l < annuli; ++l)
    if (const auto count = sum_of_warp(mine.counts[l]); lane == 0) of_warp[warp].counts[l] = count;
  __syncthreads();
  const auto add = [&](auto field) {
    auto sum = field(of_warp[0]);
    for (int w = 1; w < warps; ++w) sum += field(of_warp[w]);
    return sum;
  };
  const int i = threadIdx.x;
  if (i < 2) block.sums[i] = add([&](const DeviceResult& r) { return r.sums[i]; });
  if (i < annuli) block.counts[i] = add([&](const DeviceResult& r) { return r.counts[i]; });
}

/// Enqueues result = the sum of the first `blocks` partials.
void add_partials(const Operands& p, int blocks, const core::Stream& stream);

}  // namespace speedwell::npb::ep

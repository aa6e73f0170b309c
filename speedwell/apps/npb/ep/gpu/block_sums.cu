#include "speedwell/apps/npb/ep/gpu/block_sums.hpp"

namespace speedwell::npb::ep {
namespace {

// One warp for each of the two sums and for each of the counts.
__global__ void add_partials_kernel(const DeviceResult* partials, int blocks, DeviceResult* result) {
  const int lane = threadIdx.x % 32, field = threadIdx.x / 32;
  if (field < 2) {
    double sum = 0;
    for (int b = lane; b < blocks; b += 32) sum += partials[b].sums[field];
    sum = sum_of_warp(sum);
    if (lane == 0) result->sums[field] = sum;
  } else {
    const int l = field - 2;
    unsigned long long count = 0;
    for (int b = lane; b < blocks; b += 32) count += partials[b].counts[l];
    count = sum_of_warp(count);
    if (lane == 0) result->counts[l] = count;
  }
}

}  // namespace

void add_partials(const Operands& p, int blocks, const core::Stream& stream) {
  add_partials_kernel<<<1, 32 * (2 + annuli), 0, stream.get()>>>(p.partials, blocks, p.result);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::npb::ep

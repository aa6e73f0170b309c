// The reduction of the terms of a checksum. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/npb/ft/ft.hpp"

namespace speedwell::npb::ft {

/// For a block of checksum_points threads with one term each: a binary tree reduction in a fixed order.
inline __device__ void block_reduce_terms(double2 term, double2* checksum) {
  __shared__ double2 sums[checksum_points];
  const int q = threadIdx.x;
  sums[q] = term;
  for (int half = checksum_points / 2; half > 0; half /= 2) {
    __syncthreads();
    if (q < half) sums[q] = {sums[q].x + sums[q + half].x, sums[q].y + sums[q + half].y};
  }
  if (q == 0) *checksum = sums[0];
}

}  // namespace speedwell::npb::ft

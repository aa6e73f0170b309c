// Totals of an expression in device memory: blocks process rows in turn, and store partial results. For CUDA sources
// only.
#pragma once

#include "speedwell/apps/vector_calculus/gpu/points.hpp"
#include "speedwell/apps/vector_calculus/totals.hpp"

namespace speedwell::vector_calculus::device {

constexpr int totals_threads = 256;
constexpr int totals_blocks = 1056;  // eight on each of 132 multiprocessors

/// Takes rows [begin, end), numbered as j + k ny.
template <bool sided, class E, class T>
__global__ void __launch_bounds__(totals_threads)
    totals_kernel(E e, Frame<T> f, Totals* parts, std::int64_t begin, std::int64_t end) {
  __shared__ double sum[totals_threads], largest[totals_threads];
  Totals own;
  for (std::int64_t row = begin + blockIdx.x; row < end; row += totals_blocks) {
    const int j = static_cast<int>(row % f.ny), k = static_cast<int>(row / f.ny);
    for (int i = threadIdx.x; i < f.nx; i += totals_threads)
      own.take(static_cast<double>(e.at(CachedPoint<T, sided>{f, i, j, k}, Shift{}).v[0]));
  }
  const int thread = threadIdx.x;
  for (int half = totals_threads / 2; half > 0; half /= 2) {
    sum[thread] = own.sum;
    largest[thread] = own.largest;
    __syncthreads();
    if (thread < half) own.take(Totals{sum[thread + half], largest[thread + half]});
    __syncthreads();
  }
  if (thread == 0) parts[blockIdx.x] = own;
}

}  // namespace speedwell::vector_calculus::device

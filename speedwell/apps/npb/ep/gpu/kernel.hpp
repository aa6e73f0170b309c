// The best GPU variant's kernel. A template, because the best numbers are found by trying: cuda.cu has the choice, the
// test program the alternatives.
#pragma once

#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ep/gpu/block_sums.hpp"
#include "speedwell/apps/npb/ep/gpu/lane.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ep {

/// The table in shared memory, each segment `Copies` times side by side. Eight lanes read 16 bytes each at a time: with
/// eight copies each of them has four banks for itself.
template <int Copies>
class SharedTable {
 public:
  static constexpr int bytes = segment_count * Copies * static_cast<int>(sizeof(Segment));
  __device__ SharedTable(Segment* places, const Segment* table) {
    for (int i = threadIdx.x; i < segment_count * Copies; i += blockDim.x) places[i] = table[i / Copies];
    __syncthreads();
    const auto first = static_cast<std::uint32_t>(__cvta_generic_to_shared(places + threadIdx.x % Copies));
    mine_ = first - first_segment * stride;
  }
  /// The segment of s from its upper word, 2^-12 <= s < 2.
  __device__ Segment operator()(std::uint32_t upper) const {
    Segment segment;
    const std::uint32_t place = (upper >> segment_shift) * stride + mine_;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(segment.inverse), "=d"(segment.logarithm) : "r"(place));
    return segment;
  }

 private:
  static constexpr std::uint32_t stride = Copies * sizeof(Segment);
  std::uint32_t mine_;  // the address of this lane's copy of a segment 0 that began at s = 0
};

/// From the upper word of a alone, which leaves 2^-20 of the result uncertain.
struct RoughInverseRoot {
  __device__ double operator()(double a) const {
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(a));
    return root;
  }
};

/// Counts the pairs that the table does not serve. Not inlined: a warp calls once for 90 pairs of each
/// lane, and registers are short.
struct FarPairs {
  unsigned long long* counts;
  LaneSums* sums;
  __device__ void operator()(double x, double y, double s) const {
    const double2 big = deviates(x, y, s);
    atomicAdd(&counts[static_cast<int>(fmax(fabs(big.x), fabs(big.y)))], 1ull);
    sums->x += big.x;
    sums->y += big.y;
  }
  static __device__ __noinline__ double2 deviates(double x, double y, double s) {
    const double f = sqrt(-2 * log(s) / s);
    return {x * f, y * f};
  }
};

template <int Copies, int Pairs, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    short_kernel(std::int64_t pairs, const Segment* segments, DeviceResult* partials) {
  extern __shared__ Segment places[];
  __shared__ unsigned long long far_counts[annuli];
  if (threadIdx.x < annuli) far_counts[threadIdx.x] = 0;
  const SharedTable<Copies> table(places, segments);  // its barrier is the counts' as well
  const Share share = share_of(pairs, static_cast<std::int64_t>(blockIdx.x) * Threads + threadIdx.x,
                               static_cast<std::int64_t>(gridDim.x) * Threads);
  Random random(seed);
  random.skip(static_cast<std::uint64_t>(2 * share.begin));
  std::uint64_t state = kept(random.state());
  LaneSums sums;
  const FarPairs far{far_counts, &sums};
  auto left = static_cast<std::uint32_t>(share.end - share.begin);
  constexpr int turns = Pairs >= 4 ? 1 : 4 / Pairs;  // between two looks at the end
#pragma unroll turns
  for (; left >= Pairs; left -= Pairs) take_pairs<Pairs>(state, sums, table, RoughInverseRoot{}, far);
  for (; left > 0; --left) take_pairs<1>(state, sums, table, RoughInverseRoot{}, far);
  __syncthreads();
  DeviceResult mine = {{sums.x, sums.y}, {}};
  for (int l = 0; l < 4; ++l) mine.counts[l] = sums.at_least[l] - (l < 3 ? sums.at_least[l + 1] : 0);
  if (threadIdx.x == 0)
    for (int l = 0; l < annuli; ++l) mine.counts[l] += far_counts[l];
  write_block_sums(mine, partials[blockIdx.x]);
}

/// Blocks of `Threads`, `Blocks` for each multiprocessor. Throws std::invalid_argument where 32 bits do not hold a
/// thread's pairs: class F on a device of three multiprocessors.
template <int Copies, int Pairs, int Threads, int Blocks>
void launch_short(const Operands& p, const core::Stream& stream) {
  static_assert(Blocks <= most_blocks_of_multiprocessor && Threads % 32 == 0);
  constexpr auto kernel = short_kernel<Copies, Pairs, Threads, Blocks>;
  constexpr int bytes = SharedTable<Copies>::bytes;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  // Left to itself the runtime may give shared memory to no more than one block.
  core::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  const int blocks = p.multiprocessors * Blocks;
  if (p.pairs / blocks / Threads >= std::int64_t{1} << 32)
    throw std::invalid_argument("ep: too many pairs for a device of " + std::to_string(p.multiprocessors) +
                                " multiprocessors");
  kernel<<<blocks, Threads, bytes, stream.get()>>>(p.pairs, p.table, p.partials);
  core::check(cudaGetLastError());
  add_partials(p, blocks, stream);
}

}  // namespace speedwell::npb::ep

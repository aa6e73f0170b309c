// The kernel of the best GPU variant. It is a template because its parameters were chosen by measurement: cuda.cu has
// the choice, the test program the alternatives.
#pragma once

#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ep/gpu/block_sums.hpp"
#include "speedwell/apps/npb/ep/gpu/lane.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ep {

/// The table in shared memory, with `Copies` adjacent copies of each segment. Eight lanes read 16 bytes each per
/// transaction: with eight copies every one of them has four banks of its own.
template <int Copies>
class SharedTable {
 public:
  static constexpr int bytes = segment_count * Copies * static_cast<int>(sizeof(Segment));
  __device__ SharedTable(Segment* storage, const Segment* table) {
    for (int i = threadIdx.x; i < segment_count * Copies; i += blockDim.x) storage[i] = table[i / Copies];
    __syncthreads();
    const auto first = static_cast<std::uint32_t>(__cvta_generic_to_shared(storage + threadIdx.x % Copies));
    lane_address_ = first - first_segment * stride;
  }
  /// The segment of s, 2^-12 <= s < 2, from its upper word.
  __device__ Segment operator()(std::uint32_t upper) const {
    Segment segment;
    const std::uint32_t address = (upper >> segment_shift) * stride + lane_address_;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(segment.inverse), "=d"(segment.logarithm) : "r"(address));
    return segment;
  }

 private:
  static constexpr std::uint32_t stride = Copies * sizeof(Segment);
  std::uint32_t lane_address_;  // address of this lane's copy, less the offset of the first segment
};

/// 1/sqrt(a) with a relative error of 2^-20; the instruction reads only the upper word of a.
struct ApproximateInverseRoot {
  __device__ double operator()(double a) const {
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(a));
    return root;
  }
};

/// Counts the pairs below the table's range with library functions. Not inlined, to save registers: a warp calls it
/// once per 90 pairs of each lane.
struct TailPairs {
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
    table_kernel(std::int64_t first, std::int64_t pairs, const Segment* segments, DeviceResult* partials) {
  extern __shared__ Segment storage[];
  __shared__ unsigned long long tail_counts[annuli];
  if (threadIdx.x < annuli) tail_counts[threadIdx.x] = 0;
  const SharedTable<Copies> table(storage, segments);  // its barrier also covers the initialisation of the counts
  const Share share = share_of(pairs, static_cast<std::int64_t>(blockIdx.x) * Threads + threadIdx.x,
                               static_cast<std::int64_t>(gridDim.x) * Threads);
  Random random(seed);
  random.skip(static_cast<std::uint64_t>(2 * (first + share.begin)));
  std::uint64_t state = pack_state(random.state());
  LaneSums sums;
  const TailPairs tail{tail_counts, &sums};
  auto left = static_cast<std::uint32_t>(share.end - share.begin);
  constexpr int batches_per_check = Pairs >= 4 ? 1 : 4 / Pairs;  // between two tests of the loop condition
#pragma unroll batches_per_check
  for (; left >= Pairs; left -= Pairs) process_pairs<Pairs>(state, sums, table, ApproximateInverseRoot{}, tail);
  for (; left > 0; --left) process_pairs<1>(state, sums, table, ApproximateInverseRoot{}, tail);
  __syncthreads();
  DeviceResult own = {{sums.x, sums.y}, {}};
  for (int l = 0; l < 4; ++l) own.counts[l] = sums.at_least[l] - (l < 3 ? sums.at_least[l + 1] : 0);
  if (threadIdx.x == 0)
    for (int l = 0; l < annuli; ++l) own.counts[l] += tail_counts[l];
  write_block_sums(own, partials[blockIdx.x]);
}

/// Launches `Blocks` blocks of `Threads` threads per multiprocessor. Throws std::invalid_argument if the number of a
/// thread's pairs exceeds 32 bits: class F on a device of three multiprocessors.
template <int Copies, int Pairs, int Threads, int Blocks>
void launch_table_kernel(const Operands& p, const core::Stream& stream) {
  static_assert(Blocks <= max_blocks_per_multiprocessor && Threads % 32 == 0);
  constexpr auto kernel = table_kernel<Copies, Pairs, Threads, Blocks>;
  constexpr int bytes = SharedTable<Copies>::bytes;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  // By default the runtime may configure shared memory for a single block only.
  core::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  const int blocks = p.multiprocessors * Blocks;
  if (p.pairs / blocks / Threads >= std::int64_t{1} << 32)
    throw std::invalid_argument("ep: too many pairs for a device of " + std::to_string(p.multiprocessors) +
                                " multiprocessors");
  kernel<<<blocks, Threads, bytes, stream.get()>>>(p.first, p.pairs, p.table, p.partials);
  core::check(cudaGetLastError());
  add_partials(p, blocks, stream);
}

}  // namespace speedwell::npb::ep

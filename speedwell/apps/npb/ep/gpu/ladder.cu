// The steps before the best variant: the generator in 64-bit integers; logarithm, root and division of the library.
#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ep/gpu/block_sums.hpp"
#include "speedwell/apps/npb/ep/gpu/lane.hpp"
#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ep {
namespace {

constexpr int threads_per_block = 256, blocks_per_multiprocessor = 8;
static_assert(blocks_per_multiprocessor <= max_blocks_per_multiprocessor);

__device__ void add_pair(double x, double y, double s, DeviceResult& sums) {
  const double factor = sqrt(-2 * log(s) / s), big_x = x * factor, big_y = y * factor;
  ++sums.counts[static_cast<int>(fmax(fabs(big_x), fabs(big_y)))];
  sums.sums[0] += big_x;
  sums.sums[1] += big_y;
}

__device__ Share share_of_thread(std::int64_t pairs) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  return share_of(pairs, static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, threads);
}

__device__ Random random_from(std::int64_t pair) {
  Random random(seed);
  random.skip(static_cast<std::uint64_t>(2 * pair));
  return random;
}

// Processes the pairs of a thread one after the other.
__device__ DeviceResult sums_of_thread(std::int64_t pairs) {
  const Share share = share_of_thread(pairs);
  Random random = random_from(share.begin);
  DeviceResult sums = {};
  for (std::int64_t t = share.begin; t < share.end; ++t) {
    const double x = 2 * random.next() - 1, y = 2 * random.next() - 1, s = x * x + y * y;
    if (s <= 1) add_pair(x, y, s, sums);
  }
  return sums;
}

__global__ void atomic_kernel(std::int64_t pairs, DeviceResult* result) {
  const DeviceResult own = sums_of_thread(pairs);
  for (int i = 0; i < 2; ++i) atomicAdd(&result->sums[i], own.sums[i]);
  for (int l = 0; l < annuli; ++l) atomicAdd(&result->counts[l], own.counts[l]);
}

__global__ void reduced_kernel(std::int64_t pairs, DeviceResult* partials) {
  write_block_sums(sums_of_thread(pairs), partials[blockIdx.x]);
}

// A stack of accepted pairs per warp: they are processed when there is one for every lane. At most 31 pairs are left
// when 32 are pushed.
class WarpStack {
 public:
  static constexpr int capacity = 64;
  /// `storage`: `capacity` pairs of this warp.
  __device__ explicit WarpStack(double2* storage) : storage_(storage), lane_(threadIdx.x % 32) {}
  __device__ void push(bool accepted, double x, double y) {
    const unsigned all = __ballot_sync(~0u, accepted), before = all & ((1u << lane_) - 1);
    if (accepted) storage_[size_ + __popc(before)] = {x, y};
    size_ += __popc(all);
    __syncwarp();
  }
  __device__ bool has_full_warp() const { return size_ >= 32; }
  /// Pops a pair for each lane, or as many as there are, and adds them to the sums.
  __device__ void add(DeviceResult& sums) {
    const int count = min(size_, 32);
    size_ -= count;
    if (lane_ < count) {
      const double2 p = storage_[size_ + lane_];
      add_pair(p.x, p.y, p.x * p.x + p.y * p.y, sums);
    }
    __syncwarp();
  }

 private:
  double2* storage_;
  int lane_, size_ = 0;
};

__global__ void compacted_kernel(std::int64_t pairs, DeviceResult* partials) {
  __shared__ double2 storage[threads_per_block / 32][WarpStack::capacity];
  WarpStack stack(storage[threadIdx.x / 32]);
  const Share share = share_of_thread(pairs);
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  // All lanes of a warp vote in push(), so that each of them takes as many steps as the longest share has pairs.
  const std::int64_t longest = (pairs - 1) / threads + 1;
  Random random = random_from(share.begin);
  DeviceResult sums = {};
  for (std::int64_t t = 0; t < longest; ++t) {
    const double x = 2 * random.next() - 1, y = 2 * random.next() - 1;
    stack.push(share.begin + t < share.end && x * x + y * y <= 1, x, y);
    if (stack.has_full_warp()) stack.add(sums);
  }
  stack.add(sums);
  write_block_sums(sums, partials[blockIdx.x]);
}

void atomic(const Operands& p, const core::Stream& stream) {
  core::check(cudaMemsetAsync(p.result, 0, sizeof *p.result, stream.get()));
  atomic_kernel<<<p.multiprocessors * blocks_per_multiprocessor, threads_per_block, 0, stream.get()>>>(p.pairs,
                                                                                                       p.result);
  core::check(cudaGetLastError());
}

template <void kernel(std::int64_t, DeviceResult*)>
void with_partials(const Operands& p, const core::Stream& stream) {
  const int blocks = p.multiprocessors * blocks_per_multiprocessor;
  kernel<<<blocks, threads_per_block, 0, stream.get()>>>(p.pairs, p.partials);
  core::check(cudaGetLastError());
  add_partials(p, blocks, stream);
}

}  // namespace

Launch* function_of(std::string_view step) {
  if (step == "cuda-atomic") return atomic;
  if (step == "cuda-reduced") return with_partials<reduced_kernel>;
  if (step == "cuda-compacted") return with_partials<compacted_kernel>;
  if (step == "cuda") return launch;
  throw std::logic_error("ep has no step '" + std::string(step) + "'");
}

}  // namespace speedwell::npb::ep

// Methods that store no updates: directly in memory, by windows that fit in the second-level cache, or by regions that
// fit in a block's shared memory. Regenerating the stream costs about four instructions per word, storing it eight
// bytes twice.
#include <algorithm>

#include "speedwell/apps/gups/gpu/thread_stream.hpp"

namespace speedwell::gups::device {
namespace {

__global__ void initialise_kernel(Word* table, std::uint64_t first, std::uint64_t words) {
  const std::uint64_t all = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += all)
    table[i] = first + i;
}

__global__ void __launch_bounds__(1024) direct_kernel(Word* table, Word mask, StreamSegments segments) {
  Word x = segments.start(blockIdx.x);
  const std::uint64_t count = segments.count(blockIdx.x);
#pragma unroll 4
  for (std::uint64_t n = 0; n < count; ++n) {
    x = next(x);
    atomicXor(table + (x & mask), x);
  }
}

__global__ void __launch_bounds__(1024)
    window_kernel(Word* table, Word mask, Word window_mask, Word window, StreamSegments segments) {
  Word x = segments.start(blockIdx.x);
  const std::uint64_t count = segments.count(blockIdx.x);
#pragma unroll 4
  for (std::uint64_t n = 0; n < count; ++n) {
    x = next(x);
    if ((x & window_mask) == window) atomicXor(table + (x & mask), x);
  }
}

__global__ void __launch_bounds__(1024, 1) region_kernel(Word* table, Word region_mask, unsigned region_words,
                                                         int blocks_per_region, StreamSegments segments) {
  extern __shared__ unsigned memory[];
  const Word region = static_cast<Word>(blockIdx.x / blocks_per_region) * region_words;
  const int part = blockIdx.x % blocks_per_region;
  SharedRegion changes(memory, region_words);
  changes.clear();
  Word x = segments.start(part);
  const std::uint64_t count = segments.count(part);
  __syncthreads();
#pragma unroll 4
  for (std::uint64_t n = 0; n < count; ++n) {
    x = next(x);
    if ((x & region_mask) == region) changes.update(x);
  }
  __syncthreads();
  changes.apply(table + region, blocks_per_region == 1);
}

}  // namespace

void initialise(Word* table, std::uint64_t first, std::uint64_t words, const core::Stream& stream) {
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>((words - 1) / 1024 + 1, 1 << 20));
  initialise_kernel<<<blocks, 1024, 0, stream.get()>>>(table, first, words);
  core::check(cudaGetLastError());
}

void update_directly(const Operands& p, const core::Stream& stream) {
  const Word mask = p.problem.words - 1, windows = p.plan.windows, window_words = p.problem.words / windows;
  for (std::uint64_t batch = 0; batch < p.plan.batches; ++batch) {
    const StreamSegments segments = segments_of(p, batch);
    if (windows == 1)
      direct_kernel<<<p.plan.blocks, p.plan.threads, 0, stream.get()>>>(p.table, mask, segments);
    else
      for (Word w = 0; w < windows; ++w)
        window_kernel<<<p.plan.blocks, p.plan.threads, 0, stream.get()>>>(p.table, mask, mask & ~(window_words - 1),
                                                                          w * window_words, segments);
    core::check(cudaGetLastError());
  }
}

void update_regions(const Operands& p, const core::Stream& stream) {
  const auto region_words = static_cast<unsigned>(p.plan.region_words());
  core::check(cudaFuncSetAttribute(region_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, region_bytes));
  for (std::uint64_t batch = 0; batch < p.plan.batches; ++batch) {
    const auto blocks = static_cast<unsigned>(p.plan.regions * static_cast<std::uint64_t>(p.plan.blocks_per_region));
    region_kernel<<<blocks, p.plan.threads, 8 * region_words, stream.get()>>>(
        p.table, (p.problem.words - 1) & ~static_cast<Word>(region_words - 1), region_words, p.plan.blocks_per_region,
        segments_of(p, batch));
    core::check(cudaGetLastError());
  }
}

}  // namespace speedwell::gups::device

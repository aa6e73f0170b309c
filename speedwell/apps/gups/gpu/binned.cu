// Updates partitioned by region, then applied region by region in shared memory. Up to 2^25 words one pass partitions
// them; for larger tables, a pass into coarse bins and one of each coarse bin into regions. An update is written and
// read once per pass; the table is read and written once per batch.
#include <stdexcept>

#include "speedwell/apps/gups/gpu/partition.hpp"

namespace speedwell::gups::device {
namespace {

using FineTiles = BufferTiles<1024, 16>;

// `blocks_per_region` blocks for each region. fill and updates are those of the bins from the region at `table` on.
__global__ void __launch_bounds__(1024, 1)
    apply_kernel(Word* table, unsigned region_words, const Word* updates, const unsigned* fill, std::uint64_t capacity,
                 int blocks_per_region) {
  extern __shared__ unsigned memory[];
  const std::uint64_t bin = blockIdx.x / blocks_per_region;
  const unsigned part = blockIdx.x % blocks_per_region;
  SharedRegion changes(memory, region_words);
  changes.clear();
  const auto count = static_cast<unsigned>(min(static_cast<std::uint64_t>(fill[bin]), capacity));
  const unsigned pairs = count / 2, share = (pairs + blocks_per_region - 1) / blocks_per_region;
  const auto* const from = reinterpret_cast<const ulonglong2*>(updates + bin * capacity);
  const unsigned begin = min(part * share, pairs), end = min(begin + share, pairs);
  __syncthreads();
  constexpr int unroll = 4;
  unsigned i = begin + threadIdx.x;
  for (; i + (unroll - 1) * blockDim.x < end; i += unroll * blockDim.x) {
    ulonglong2 x[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) x[u] = __ldcs(from + i + u * blockDim.x);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      changes.update(x[u].x);
      changes.update(x[u].y);
    }
  }
  for (; i < end; i += blockDim.x) {
    const ulonglong2 x = __ldcs(from + i);
    changes.update(x.x);
    changes.update(x.y);
  }
  if (part == 0 && threadIdx.x == 0 && count % 2 == 1) changes.update(updates[bin * capacity + count - 1]);
  __syncthreads();
  changes.apply(table + bin * region_words, blocks_per_region == 1);
}

template <class Tiles>
void sort(const Tiles& tiles, std::uint64_t blocks, const Bins& bins, std::uint64_t all_bins, cudaStream_t stream) {
  core::check(cudaMemsetAsync(bins.fill, 0, all_bins * sizeof(unsigned), stream));
  constexpr int bytes = partition_bytes_of<Tiles::threads, Tiles::updates_per_thread>;
  core::check(cudaFuncSetAttribute(partition_kernel<Tiles>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  partition_kernel<<<static_cast<unsigned>(blocks), Tiles::threads, bytes, stream>>>(tiles, bins);
  core::check(cudaGetLastError());
}

void sort_stream(const Operands& p, std::uint64_t batch, const Bins& bins, cudaStream_t stream) {
  const StreamSegments segments = segments_of(p, batch);
  const auto blocks = static_cast<std::uint64_t>(p.plan.blocks);
  if (p.plan.tuning.threads == 512)
    sort(StreamTiles<512, 22>(segments), blocks, bins, bins.count, stream);
  else if (p.plan.tuning.threads == 1024 && p.plan.tuning.updates_per_thread == 24)
    sort(StreamTiles<1024, 24>(segments), blocks, bins, bins.count, stream);
  else
    throw std::logic_error("gups: no kernel has this tuning");
}

}  // namespace

void update_binned(const Operands& p, cudaStream_t stream) {
  const Plan& plan = p.plan;
  const Word mask = p.problem.words - 1;
  const auto region_words = static_cast<unsigned>(plan.region_words());
  const int log2_region = min(plan.log2_words, log2_region_words);
  core::check(cudaFuncSetAttribute(apply_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, region_bytes));
  const auto apply = [&](std::uint64_t first_region, std::uint64_t regions) {
    const auto blocks = static_cast<unsigned>(regions * static_cast<std::uint64_t>(plan.blocks_per_region));
    apply_kernel<<<blocks, 1024, 8 * region_words, stream>>>(p.table + first_region * region_words, region_words,
                                                             p.fine, p.fine_fill, plan.fine_capacity,
                                                             plan.blocks_per_region);
    core::check(cudaGetLastError());
  };
  const auto fine_bins = static_cast<unsigned>(plan.fine_bins());
  const Bins fine{p.fine, p.fine_fill, plan.fine_capacity, fine_bins, log2_region, p.table, mask};
  for (std::uint64_t batch = 0; batch < plan.batches; ++batch) {
    if (!plan.coarse()) {
      sort_stream(p, batch, fine, stream);
      apply(0, plan.fine_bins());
      continue;
    }
    const auto coarse_bins = static_cast<unsigned>(plan.coarse_bins());
    const Bins coarse{p.coarse, p.coarse_fill, plan.coarse_capacity, coarse_bins, log2_region + plan.log2_fine,
                      p.table,  mask};
    sort_stream(p, batch, coarse, stream);
    constexpr auto tile = static_cast<std::uint64_t>(FineTiles::threads * FineTiles::updates_per_thread);
    const auto tiles = static_cast<unsigned>((plan.coarse_capacity + tile - 1) / tile);
    for (std::uint64_t c = 0; c < coarse_bins; c += plan.coarse_group) {
      const std::uint64_t bins = min(plan.coarse_group, coarse_bins - c);
      const FineTiles from(p.coarse + c * plan.coarse_capacity, p.coarse_fill + c, plan.coarse_capacity, tiles,
                           fine_bins);
      sort(from, bins * tiles, fine, bins * fine_bins, stream);
      apply(c * fine_bins, bins * fine_bins);
    }
  }
}

}  // namespace speedwell::gups::device

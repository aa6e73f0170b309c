// Updates partitioned by region, then applied region by region in shared memory. Up to 2^25 words one pass partitions
// them; for larger tables, a pass into coarse bins and one of each coarse bin into regions, or one pass for each part
// of the table (Method::parts). An update is written and read once per pass; the table is read and written once per
// batch.
#include <stdexcept>

#include "speedwell/apps/gups/gpu/partition.hpp"

namespace speedwell::gups::device {
namespace {

using FineTiles = BufferTiles<1024, 16>;

constexpr unsigned apply_threads = 1024;

// The updates begin ... end - 1 of a bin, in pairs; all threads of the block take part.
__device__ void apply_pairs(SharedRegion& region, const ulonglong2* pairs, unsigned begin, unsigned end) {
  constexpr int unroll = 4;
  const auto apply = [&](const ulonglong2& pair) {
    region.update(pair.x);
    region.update(pair.y);
  };
  unsigned i = begin + threadIdx.x;
  for (; i + (unroll - 1) * apply_threads < end; i += unroll * apply_threads) {
    ulonglong2 x[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) x[u] = __ldcs(pairs + i + u * apply_threads);
#pragma unroll
    for (int u = 0; u < unroll; ++u) apply(x[u]);
  }
  for (; i < end; i += apply_threads) apply(__ldcs(pairs + i));
}

// Few regions, or a small one: `blocks_per_region` blocks accumulate updates of each, and apply them to the table
// atomically. fill and updates are those of the bins from the region at `table` on.
__global__ void __launch_bounds__(apply_threads, 1)
    apply_shares_kernel(Word* table, unsigned region_words, const Word* updates, const unsigned* fill,
                        std::uint64_t capacity, int blocks_per_region) {
  extern __shared__ unsigned memory[];
  const std::uint64_t bin = blockIdx.x / blocks_per_region;
  const unsigned part = blockIdx.x % blocks_per_region;
  SharedRegion changes(memory, region_words);
  changes.clear();
  const auto count = static_cast<unsigned>(min(static_cast<std::uint64_t>(fill[bin]), capacity));
  const unsigned pairs = count / 2, share = (pairs + blocks_per_region - 1) / blocks_per_region;
  const unsigned begin = min(part * share, pairs), end = min(begin + share, pairs);
  const Word* const from = updates + bin * capacity;
  __syncthreads();
  apply_pairs(changes, reinterpret_cast<const ulonglong2*>(from), begin, end);
  if (part == 0 && threadIdx.x == 0 && count % 2 == 1) changes.update(from[count - 1]);
  __syncthreads();
  changes.apply(table + bin * region_words, false);
}

// Many regions of the full size: each block updates some in shared memory, one after the other. The words of its next
// one are loaded into registers meanwhile, and replace those that are stored. Operands as above, of `regions` regions.
__global__ void __launch_bounds__(apply_threads, 1)
    apply_kernel(Word* table, unsigned regions, const Word* updates, const unsigned* fill, std::uint64_t capacity) {
  constexpr unsigned region_words = 1u << log2_region_words, each = region_words / apply_threads;
  extern __shared__ unsigned memory[];
  SharedRegion words(memory, region_words);
  Word loaded[each];
  const auto own_words = [&](unsigned region) {
    return table + static_cast<std::uint64_t>(region) * region_words + threadIdx.x;
  };
  const auto load = [&](unsigned region) {
    const Word* const from = own_words(region);
#pragma unroll
    for (unsigned k = 0; k < each; ++k) loaded[k] = __ldcs(from + k * apply_threads);
  };
  load(blockIdx.x);
#pragma unroll
  for (unsigned k = 0; k < each; ++k) words.set(k * apply_threads + threadIdx.x, loaded[k]);
  for (unsigned region = blockIdx.x; region < regions; region += gridDim.x) {
    const unsigned next_region = region + gridDim.x;
    const auto count = static_cast<unsigned>(min(static_cast<std::uint64_t>(fill[region]), capacity));
    const Word* const from = updates + region * capacity;
    __syncthreads();
    if (next_region < regions) load(next_region);
    apply_pairs(words, reinterpret_cast<const ulonglong2*>(from), 0, count / 2);
    if (threadIdx.x == 0 && count % 2 == 1) words.update(from[count - 1]);
    __syncthreads();
    Word* const to = own_words(region);
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      const unsigned i = k * apply_threads + threadIdx.x;
      __stcs(to + k * apply_threads, words.get(i));
      words.set(i, loaded[k]);  // of no use after the last region
    }
  }
}

template <class Tiles>
void sort(const Tiles& tiles, std::uint64_t blocks, const Bins& bins, std::uint64_t all_bins,
          const core::Stream& stream) {
  core::check(cudaMemsetAsync(bins.fill, 0, all_bins * sizeof(unsigned), stream.get()));
  constexpr int bytes = partition_bytes_of<Tiles::threads, Tiles::updates_per_thread>;
  core::check(cudaFuncSetAttribute(partition_kernel<Tiles>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  partition_kernel<<<static_cast<unsigned>(blocks), Tiles::threads, bytes, stream.get()>>>(tiles, bins);
  core::check(cudaGetLastError());
}

/// Calls sort_tiles with the numbers of the plan's tiles: threads, and updates of each.
template <class SortTiles>
void with_tuning(const Plan& plan, const SortTiles& sort_tiles) {
  if (plan.tuning.threads == 512)
    sort_tiles.template operator()<512, 22>();
  else if (plan.tuning.threads == 1024 && plan.tuning.updates_per_thread == 24)
    sort_tiles.template operator()<1024, 24>();
  else
    throw std::logic_error("gups: no kernel has this tuning");
}
void sort_stream(const Plan& plan, const Bins& bins, const StreamSegments& segments, const core::Stream& stream) {
  with_tuning(plan, [&]<int threads, int each>() {
    sort(StreamTiles<threads, each>(segments), static_cast<std::uint64_t>(plan.blocks), bins, bins.count, stream);
  });
}
template <int bits>
void sort_part(const Plan& plan, const Bins& bins, const StreamSegments& segments, std::uint64_t part,
               const core::Stream& stream) {
  const PartOfStream<bits> words(plan.log2_words, plan.parts.log2_parts, part);
  with_tuning(plan, [&]<int threads, int each>() {
    sort(PartTiles<threads, each, bits>(segments, words), static_cast<std::uint64_t>(plan.blocks), bins, bins.count,
         stream);
  });
}

/// The updates of a batch whose words are in part `part` of the table, which begins at `table`.
void update_part(const Operands& p, std::uint64_t batch, std::uint64_t part, Word* table, const core::Stream& stream) {
  const Plan& plan = p.plan;
  const Word mask = (Word{1} << plan.log2_part_words()) - 1;
  const auto region_words = static_cast<unsigned>(plan.region_words());
  const int log2_region = min(plan.log2_part_words(), log2_region_words);
  const StreamSegments segments = segments_of(p, batch);
  const auto sort_into = [&](const Bins& bins) {
    switch (plan.parts.log2_parts) {
      case 0:
        return sort_stream(plan, bins, segments, stream);
      case 1:
        return sort_part<1>(plan, bins, segments, part, stream);
      case 2:
        return sort_part<2>(plan, bins, segments, part, stream);
      case 3:
        return sort_part<3>(plan, bins, segments, part, stream);
      default:
        return sort_part<-1>(plan, bins, segments, part, stream);
    }
  };
  const auto apply = [&](std::uint64_t first_region, std::uint64_t regions) {
    Word* const first = table + first_region * region_words;
    const auto count = static_cast<unsigned>(regions), bytes = 8 * region_words;
    if (plan.blocks_per_region == 1 && region_words == 1u << log2_region_words)
      apply_kernel<<<min(count, static_cast<unsigned>(plan.multiprocessors)), apply_threads, bytes, stream.get()>>>(
          first, count, p.fine, p.fine_fill, plan.fine_capacity);
    else
      apply_shares_kernel<<<count* static_cast<unsigned>(plan.blocks_per_region), apply_threads, bytes, stream.get()>>>(
          first, region_words, p.fine, p.fine_fill, plan.fine_capacity, plan.blocks_per_region);
    core::check(cudaGetLastError());
  };
  const auto fine_bins = static_cast<unsigned>(plan.fine_bins());
  const Bins fine{p.fine, p.fine_fill, plan.fine_capacity, fine_bins, log2_region, table, mask};
  if (!plan.coarse()) {
    sort_into(fine);
    apply(0, plan.fine_bins());
    return;
  }
  const auto coarse_bins = static_cast<unsigned>(plan.coarse_bins());
  sort_into({p.coarse, p.coarse_fill, plan.coarse_capacity, coarse_bins, log2_region + plan.log2_fine, table, mask});
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

}  // namespace

void update_binned(const Operands& p, const core::Stream& stream) {
  const Plan& plan = p.plan;
  core::check(cudaFuncSetAttribute(apply_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, region_bytes));
  core::check(cudaFuncSetAttribute(apply_shares_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, region_bytes));
  for (std::uint64_t part = 0; part < plan.parts.count; ++part)
    for (std::uint64_t batch = 0; batch < plan.batches; ++batch)
      update_part(p, batch, plan.parts.first + part, p.table + (part << plan.log2_part_words()), stream);
}

}  // namespace speedwell::gups::device

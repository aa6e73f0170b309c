// The kernels of GpuTable. A block of warps holds the profile of a tile of match in shared memory, and each warp sweeps
// a pair of sections of main through it (kernel1_sections.hpp).
//
// The limit of the sweep: its cells are those of alignment/gpu/search_kernels.cu, without any further work per cell.
// For 64 codons the profile has 130 KiB at 32 rows per lane, so that a multiprocessor has one block with four warps per
// scheduler and at most 128 registers per thread.
#include <algorithm>
#include <type_traits>

#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_table_kernels.hpp"

namespace speedwell::ssca1 {
namespace {

using alignment::DeviceWarp;

constexpr int sweep_threads = 512;
// There are few spans, and a warp that tests its cells needs registers and shared memory.
constexpr int refine_threads = 192;
constexpr int other_threads = 256;

/// The index of a warp in the grid: neighbouring warps are on different multiprocessors, which balances the load.
__device__ std::int32_t warp_of_grid() { return static_cast<std::int32_t>(threadIdx.x / 32 * gridDim.x + blockIdx.x); }

/// `pairs`: the pairs to compute; null for all.
template <class Arithmetic, int R>
__global__ void __launch_bounds__(sweep_threads, 1)
    sweep_kernel(const __grid_constant__ SectionRound round, const std::int32_t* pairs, std::int32_t count) {
  extern __shared__ __align__(128) char profile[];
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const std::int32_t mine = warp_of_grid();
  for (std::int32_t tile = 0; tile < round.tiles; ++tile) {
    build_section_profile<Arithmetic, R>(profile, round, tile, static_cast<int>(threadIdx.x), sweep_threads);
    __syncthreads();
    if (mine < count)
      sweep_section_pair<Arithmetic, R>(warp, round, tile, pairs ? pairs[mine] : mine, pairs != nullptr, profile);
    __syncthreads();  // the profile may be overwritten
  }
}

/// One block per pair.
template <class Arithmetic, int R>
__global__ void begin_truly_kernel(const __grid_constant__ SectionRound round, const std::int32_t* pairs) {
  begin_truly<Arithmetic, R>(round, pairs[blockIdx.x], static_cast<int>(threadIdx.x), other_threads);
}

/// One block per pair.
template <class Arithmetic, int R>
__global__ void examine_kernel(const __grid_constant__ SectionRound round, const ThresholdChoice choice,
                               RoundSummary* summary, std::int32_t* differing) {
  const auto pair = static_cast<std::int32_t>(blockIdx.x);
  const auto thread = static_cast<std::int32_t>(threadIdx.x);
  const bool differs = __syncthreads_or(begins_elsewhere<Arithmetic, R>(round, pair, thread, other_threads)) != 0;
  if (differs && thread == 0) differing[atomicAdd(&summary->differing, 1u)] = pair;
  for (std::int32_t tile = 0; tile < round.tiles; ++tile)
    for (std::int32_t number = thread; number < round.spans; number += other_threads)
      for (int half = 0; half < Arithmetic::subjects; ++half) {
        const std::int32_t score = highest_in<Arithmetic>(round, round.span_of(tile, pair, number), half);
        if (score > round.limit) summary->overflowed = 1;
        if (score >= choice.minimum) atomicAdd(&summary->histogram[threshold_bin(choice, score)], 1u);
      }
}

/// Chooses the threshold, by a block with one thread per bin.
__device__ std::int32_t choose_threshold(const ThresholdChoice& choice, const std::uint32_t* histogram) {
  static_assert(threshold_bins == other_threads);
  __shared__ std::uint32_t halves[threshold_bins];  // halves in this bin and above
  const auto bin = static_cast<int>(threadIdx.x);
  halves[bin] = histogram[bin];
  for (int distance = 1; distance < threshold_bins; distance *= 2) {
    __syncthreads();
    const std::uint32_t above = bin + distance < threshold_bins ? halves[bin + distance] : 0;
    __syncthreads();
    halves[bin] += above;
  }
  return threshold_of(choice, __syncthreads_count(choice.wanted > 0 && halves[bin] >= choice.wanted));
}

template <class Arithmetic>
__global__ void choose_kernel(const __grid_constant__ SectionRound round, const ThresholdChoice choice,
                              RoundSummary* summary, std::uint32_t* selected) {
  if (summary->differing > 0 || summary->overflowed) return;
  const std::int32_t threshold = choose_threshold(choice, summary->histogram);
  if (blockIdx.x == 0 && threadIdx.x == 0) summary->threshold = threshold;
  const std::int64_t spans = round.all_spans(), step = std::int64_t{gridDim.x} * other_threads;
  for (std::int64_t span = std::int64_t{blockIdx.x} * other_threads + threadIdx.x; span < spans; span += step)
    if (is_hot<Arithmetic>(round, span, threshold))
      selected[atomicAdd(&summary->selected, 1u)] = static_cast<std::uint32_t>(span);
}

/// A row of blocks per tile, which processes the spans of the tile.
template <class Arithmetic, int R>
__global__ void __launch_bounds__(refine_threads, 1)
    refine_kernel(const __grid_constant__ SectionRound round, CandidateList list, const RoundSummary* summary,
                  const std::uint32_t* selected, std::uint32_t first, std::uint32_t last) {
  extern __shared__ __align__(128) char profile[];
  if (last > summary->selected) last = summary->selected;
  if (first + blockIdx.x >= last) return;
  list.threshold = summary->threshold;
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  RefineMemory<R>& memory =
      reinterpret_cast<RefineMemory<R>*>(profile + section_profile_bytes(R, round.symbols))[threadIdx.x / 32];
  const std::uint32_t warps = blockDim.x / 32 * gridDim.x;
  for (std::int32_t tile = static_cast<std::int32_t>(blockIdx.y); tile < round.tiles; tile += gridDim.y) {
    build_section_profile<Arithmetic, R>(profile, round, tile, static_cast<int>(threadIdx.x),
                                         static_cast<int>(blockDim.x));
    __syncthreads();
    for (std::uint32_t i = first + static_cast<std::uint32_t>(warp_of_grid()); i < last; i += warps)
      if (round.tile_of(selected[i]) == tile)
        refine_span<Arithmetic, R>(warp, round, list, selected[i], profile, memory);
    __syncthreads();  // the profile may be overwritten
  }
}

template <class Arithmetic, int R>
__global__ void end_kernel(const __grid_constant__ SectionRound round, std::uint32_t* before) {
  const auto tile = static_cast<std::int32_t>(blockIdx.x);
  for (int word = static_cast<int>(threadIdx.x); word < state_words(R); word += other_threads)
    before[std::int64_t{tile} * state_words(R) + word] = round_end<Arithmetic, R>(round, tile, word);
}

/// Calls f(arithmetic, the number of rows as a constant).
template <class F>
void with_kernels_of(const RoundLaunch& launch, F&& f) {
  with_arithmetic(launch.width, [&](auto arithmetic) {
    switch (launch.strip_rows) {
      case 8:
        return f(arithmetic, std::integral_constant<int, 8>{});
      case 16:
        return f(arithmetic, std::integral_constant<int, 16>{});
      default:
        return f(arithmetic, std::integral_constant<int, 32>{});
    }
  });
}

std::size_t profile_bytes(const RoundLaunch& launch) {
  return static_cast<std::size_t>(section_profile_bytes(launch.strip_rows, launch.round.symbols));
}
/// Required before a block may have more than 48 KiB of shared memory.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

void sweep_pairs(const RoundLaunch& launch, const std::int32_t* pairs, std::int32_t count, const core::Stream& stream) {
  with_kernels_of(launch, [&](auto arithmetic, auto rows) {
    constexpr auto* kernel = sweep_kernel<decltype(arithmetic), decltype(rows)::value>;
    const std::size_t bytes = profile_bytes(launch);
    allow_shared(kernel, bytes);
    const int full = static_cast<int>(core::blocks_for(count, sweep_threads / 32));
    const int blocks = std::max(full, std::min(count, launch.multiprocessors));
    kernel<<<static_cast<unsigned>(blocks), sweep_threads, bytes, stream.get()>>>(launch.round, pairs, count);
    core::check(cudaGetLastError());
  });
}

}  // namespace

void enqueue_sweep(const RoundLaunch& launch, const core::Stream& stream) {
  sweep_pairs(launch, nullptr, launch.round.pairs, stream);
}

void enqueue_repeat(const RoundLaunch& launch, std::int32_t pairs, const core::Stream& stream) {
  with_kernels_of(launch, [&](auto arithmetic, auto rows) {
    begin_truly_kernel<decltype(arithmetic), decltype(rows)::value>
        <<<static_cast<unsigned>(pairs), other_threads, 0, stream.get()>>>(launch.round, launch.differing);
    core::check(cudaGetLastError());
  });
  sweep_pairs(launch, launch.differing, pairs, stream);
}

void enqueue_examine(const RoundLaunch& launch, const ThresholdChoice& choice, const core::Stream& stream) {
  core::check(cudaMemsetAsync(launch.summary, 0, sizeof(RoundSummary), stream.get()));
  with_kernels_of(launch, [&](auto arithmetic, auto rows) {
    examine_kernel<decltype(arithmetic), decltype(rows)::value>
        <<<static_cast<unsigned>(launch.round.pairs), other_threads, 0, stream.get()>>>(
            launch.round, choice, launch.summary, launch.differing);
    core::check(cudaGetLastError());
  });
}

void enqueue_choose(const RoundLaunch& launch, const ThresholdChoice& choice, const core::Stream& stream) {
  core::check(cudaMemsetAsync(&launch.summary->selected, 0, sizeof launch.summary->selected, stream.get()));
  with_arithmetic(launch.width, [&](auto arithmetic) {
    const std::int64_t blocks = core::blocks_for(launch.round.all_spans(), other_threads);
    choose_kernel<decltype(arithmetic)>
        <<<static_cast<unsigned>(std::min<std::int64_t>(blocks, 4 * launch.multiprocessors)), other_threads, 0,
           stream.get()>>>(launch.round, choice, launch.summary, launch.selected);
    core::check(cudaGetLastError());
  });
}

void enqueue_refine(const RoundLaunch& launch, std::uint32_t first, std::uint32_t last, const core::Stream& stream) {
  core::check(cudaMemsetAsync(&launch.summary->found, 0, sizeof launch.summary->found, stream.get()));
  with_kernels_of(launch, [&](auto arithmetic, auto rows) {
    constexpr int R = decltype(rows)::value;
    constexpr auto* kernel = refine_kernel<decltype(arithmetic), R>;
    const std::size_t profile = profile_bytes(launch);
    const std::size_t fit = (static_cast<std::size_t>(launch.shared_bytes) - profile) / sizeof(RefineMemory<R>);
    const std::size_t warps = std::min<std::size_t>(fit, refine_threads / 32);
    const std::size_t bytes = profile + warps * sizeof(RefineMemory<R>);
    allow_shared(kernel, bytes);
    const CandidateList list{
        .peaks = launch.peaks, .found = launch.found, .count = &launch.summary->found, .capacity = launch.capacity};
    const dim3 blocks(static_cast<unsigned>(launch.multiprocessors),
                      static_cast<unsigned>(std::min(launch.round.tiles, 65535)));
    kernel<<<blocks, static_cast<unsigned>(32 * warps), bytes, stream.get()>>>(launch.round, list, launch.summary,
                                                                               launch.selected, first, last);
    core::check(cudaGetLastError());
  });
}

void enqueue_end(const RoundLaunch& launch, std::uint32_t* before, const core::Stream& stream) {
  with_kernels_of(launch, [&](auto arithmetic, auto rows) {
    end_kernel<decltype(arithmetic), decltype(rows)::value>
        <<<static_cast<unsigned>(launch.round.tiles), other_threads, 0, stream.get()>>>(launch.round, before);
    core::check(cudaGetLastError());
  });
}

}  // namespace speedwell::ssca1

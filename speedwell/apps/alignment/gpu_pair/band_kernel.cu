// Smith-Waterman of one huge pair: one launch, one block per multiprocessor, one band at a time per warp. Bands are
// drawn in order, and a band waits only for the one above, which is finished or belongs to a running warp: whatever
// warps the device runs, the first unfinished band can continue, so that there is no deadlock. Between two bands is one
// row of the table in memory (level 2 cache: 4 bytes per column), read and replaced in place.
//
// Limits. Two cells take 4 DPX instructions on the integer units (E, F and two for H) and 1/8 for the sampled best;
// concurrent with them are a multiply-add that subtracts, a floating-point addition for the table's address, and a
// shared load without bank conflicts: 7.3 instructions. The integer units alone would allow 8 TCUPS on an H200, at 16.5
// T per second. As in gpu/search_kernels.cu, instructions that read three registers are limited by the register file,
// so that common gap costs are immediates.
//
// Dependences. A band starts chunks_ahead chunks (256 columns) after the one above, so that 1584 warps (12 on each of
// 132 multiprocessors) are busy after 4 * 10^5 columns: 5 % of two rounds of bands over 4 * 10^6 residues, but more
// than a third of 10^6. The overhead per chunk favours long chunks.
#include <array>
#include <cuda/atomic>
#include <iterator>
#include <type_traits>

#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/alignment/gpu_pair/band.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"

namespace speedwell::alignment {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;

template <class T>
using Shared = cuda::atomic_ref<T, cuda::thread_scope_device>;

SPEEDWELL_HD
constexpr unsigned long long key(std::int64_t score, std::int64_t band) {
  return static_cast<unsigned long long>(score) << 32 | (0xffffffffull - static_cast<unsigned long long>(band));
}

template <class T>
using SharedByGpus = cuda::atomic_ref<T, cuda::thread_scope_system>;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
// What only several GPUs need is not inlined, so that the kernel of one GPU has all registers for its sweep.
/// Waits for a band of another GPU, and returns how many chunks it has finished. Gives up after 20 s without progress.
__device__ __noinline__ long long wait_for_other(const BandLaunch& launch, std::int64_t band, std::int64_t wanted) {
  constexpr unsigned long long max_wait_nanoseconds = 20'000'000'000ull;
  const SharedByGpus<long long> progress(launch.progress[band]);
  const Shared<int> timed_out(*launch.timed_out);
  unsigned long long since = nanoseconds();
  for (long long before = -1;;) {
    const long long seen = progress.load(cuda::memory_order_acquire);
    if (seen >= wanted || timed_out.load(cuda::memory_order_relaxed) != 0) return seen;
    if (seen != before) {
      before = seen;
      since = nanoseconds();
    } else if (nanoseconds() - since > max_wait_nanoseconds) {
      timed_out.store(1, cuda::memory_order_relaxed);
    }
    __nanosleep(200);
  }
}
/// The largest of the values of `known` that have arrived from all GPUs.
__device__ __noinline__ unsigned long long known_of_all(const BandLaunch& launch, int lane) {
  unsigned long long known = 0;
  if (lane < launch.gpus)
    known = SharedByGpus<unsigned long long>(launch.known_from[lane]).load(cuda::memory_order_relaxed);
  for (int distance = max_pair_gpus / 2; distance > 0; distance /= 2) {
    const unsigned long long other = __shfl_down_sync(all_lanes, known, static_cast<unsigned>(distance));
    known = other > known ? other : known;
  }
  return __shfl_sync(all_lanes, known, 0);
}
/// Raises the known value of this GPU, and tells the others. If two warps tell them in the other order than they raised
/// it, what the others know is too small until the next value.
__device__ __noinline__ void tell_others(const BandLaunch& launch, unsigned long long value) {
  if (atomicMax(launch.known, value) >= value) return;
  for (int gpu = 0; gpu < launch.gpus; ++gpu)
    if (gpu != launch.gpu)
      SharedByGpus<unsigned long long>(*launch.known_to[gpu]).store(value, cuda::memory_order_relaxed);
}

/// The synchronisation of the bands on the device by the number of chunks that each has finished.
struct DeviceLinks {
  const BandLaunch& launch;
  int lane;
  std::int64_t seen = 0;         // chunks of the band above
  unsigned long long known = 0;  // value at the last refresh

  __device__ void wait(std::int64_t band, std::int64_t wanted) {
    if (seen < wanted) {
      if (lane == 0) {
        if (launch.gpus > 1) {
          seen = wait_for_other(launch, band, wanted);
        } else {
          Shared<long long> progress(launch.progress[band]);
          while ((seen = progress.load(cuda::memory_order_acquire)) < wanted) __nanosleep(200);
        }
      }
      seen = __shfl_sync(all_lanes, seen, 0);
    }
    __syncwarp();
  }
  __device__ void publish(std::int64_t band, std::int64_t chunks) {
    __syncwarp();
    if (lane > 0) return;
    if (launch.gpus > 1)
      SharedByGpus<long long>(launch.progress_below[band]).store(chunks, cuda::memory_order_release);
    else
      Shared<long long>(launch.progress[band]).store(chunks, cuda::memory_order_release);
  }
  /// Chunks of the band above that were finished at the last refresh.
  __device__ std::int64_t ready() const { return seen; }
  __device__ void refresh() {
    if (launch.gpus > 1) {
      known = known_of_all(launch, lane);
      return;
    }
    if (lane == 0) known = Shared<unsigned long long>(*launch.known).load(cuda::memory_order_relaxed);
    known = __shfl_sync(all_lanes, known, 0);
  }
  __device__ std::int64_t known_score() const { return static_cast<std::int64_t>(known >> 32); }
  /// Whether a cell with this score could be the pair's best: better than all found so far, or equal in a band that is
  /// not below theirs.
  __device__ bool may_win(std::int64_t score, std::int64_t band) const { return key(score, band) >= known; }
  __device__ void found(std::int64_t score, std::int64_t band) {
    if (lane > 0) return;
    if (launch.gpus > 1)
      tell_others(launch, key(score, band));
    else
      atomicMax(launch.known, key(score, band));
  }
};

template <class Scores>
__host__ __device__ int table_words(int classes) {
  return Scores::entries(classes) * 32;
}

/// Lets one warp of each block draw its first band before a second warp of any block does: consecutive bands start on
/// different multiprocessors, where they are faster as long as they are few. This is only a heuristic: a warp waits for
/// some microseconds at most, in all circumstances.
__device__ void take_turns(const BandLaunch& launch) {
  const unsigned long long before_me = static_cast<unsigned long long>(threadIdx.x / 32) * gridDim.x;
  const Shared<unsigned long long> taken(*launch.next_band);
  for (int polls = 0; polls < 50 && taken.load(cuda::memory_order_relaxed) < before_me; ++polls) __nanosleep(500);
}

template <class Scores, int R, int max_warps, class Costs = AnyCosts>
__global__ void __launch_bounds__(max_warps * 32, 1) bands_kernel(const __grid_constant__ BandLaunch launch) {
  extern __shared__ __align__(128) char shared[];
  const int classes = launch.problem.classes;
  fill_table<Scores>(reinterpret_cast<std::uint32_t*>(shared), launch.class_scores, classes,
                     launch.gap_open + launch.gap_extend, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
  __syncthreads();
  auto* memories = reinterpret_cast<BandMemory<R>*>(shared + sizeof(std::uint32_t) * table_words<Scores>(classes));
  BandMemory<R>& memory = memories[threadIdx.x / 32];
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const std::size_t warp_of_all = std::size_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  std::uint32_t* const candidate = launch.candidate + warp_of_all * BandMemory<R>::saved_words;
  take_turns(launch);
  for (;;) {
    unsigned long long next = 0;
    if (warp.lane == 0) {
      next = atomicAdd(launch.next_band, 1ull);
      if (launch.gpus > 1 && Shared<int>(*launch.timed_out).load(cuda::memory_order_relaxed) != 0)
        next = static_cast<unsigned long long>(launch.bands);
    }
    const auto band =
        static_cast<std::int64_t>(__shfl_sync(all_lanes, next, 0)) * launch.gpus + std::int64_t{launch.gpu};
    if (band >= launch.bands) return;
    DeviceLinks links{launch, warp.lane};
    links.refresh();
    Band<Scores, R, DeviceWarp, DeviceLinks, Costs> sweeping(warp, launch.problem, band, memory, shared, links,
                                                             candidate);
    const BandBest best = sweeping.sweep();
    if (warp.lane == 0) launch.results[band] = best;
  }
}

template <class Scores>
__global__ void encode_kernel(const __grid_constant__ BandSequences sequences, std::int64_t query_length,
                              std::int64_t subject_length, std::int64_t chunks, int classes) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const auto residue = [&](const std::uint8_t* codes, std::int64_t i, std::int64_t length) {
    if (i < 0 || i >= length) return classes - 1;
    return static_cast<int>(sequences.of_code[codes[i] % code_limit]);
  };
  for (std::int64_t i = thread; i < query_length; i += threads)
    sequences.query[i] = static_cast<std::uint8_t>(residue(sequences.query_codes, i, query_length));
  const std::int64_t columns = columns_before + chunks * chunk_columns + columns_after;
  for (std::int64_t i = thread; i < columns; i += threads) {
    const std::int64_t j = i - columns_before;
    sequences.columns[i] = Scores::column_entry(residue(sequences.subject_codes, j, subject_length),
                                                residue(sequences.subject_codes, j - 2, subject_length), classes);
  }
}

using Kernel = void (*)(BandLaunch);
/// A kernel with compile-time gap costs.
struct KnownKernel {
  int open, extend;
  Kernel kernel;
};
/// The kernels of variants[i] are in all_compiled[i].
struct Compiled {
  BandVariant variant;
  Kernel kernel;
  KnownKernel known[2];
  std::size_t memory_bytes;  // shared memory per warp
  std::size_t saved_words;

  Kernel kernel_of(const BandLaunch& launch) const {
    for (const KnownKernel& one : known)
      if (one.kernel && one.open == launch.gap_open && one.extend == launch.gap_extend) return one.kernel;
    return kernel;
  }
};
template <class Scores, int R, int max_warps>
constexpr Compiled compiled() {
  Compiled c{{std::is_same_v<Scores, PairScores>, R, max_warps},
             bands_kernel<Scores, R, max_warps>,
             {},
             sizeof(BandMemory<R>),
             BandMemory<R>::saved_words};
  if constexpr (R >= 8 && std::is_same_v<Scores, PairScores>) {  // those of blastn and of the papers on huge pairs
    c.known[0] = {5, 2, bands_kernel<Scores, R, max_warps, KnownCosts<5, 2>>};
    c.known[1] = {3, 2, bands_kernel<Scores, R, max_warps, KnownCosts<3, 2>>};
  }
  return c;
}
constexpr Compiled all_compiled[] = {
    compiled<PairScores, 2, 16>(),     compiled<PairScores, 8, 16>(),    compiled<PairScores, 16, 12>(),
    compiled<PairScores, 20, 12>(),    compiled<ResidueScores, 2, 16>(), compiled<ResidueScores, 8, 16>(),
    compiled<ResidueScores, 12, 12>(),
};
constexpr std::size_t count = std::size(all_compiled);
constexpr std::array<BandVariant, count> variants = [] {
  std::array<BandVariant, count> list{};
  for (std::size_t i = 0; i < count; ++i) list[i] = all_compiled[i].variant;
  return list;
}();

const Compiled& find(const BandVariant& variant) {
  for (const Compiled& one : all_compiled)
    if (one.variant.pair_table == variant.pair_table && one.variant.strip_rows == variant.strip_rows &&
        one.variant.max_warps == variant.max_warps)
      return one;
  return all_compiled[0];
}

std::size_t table_bytes(const BandVariant& variant, int classes) {
  return sizeof(std::uint32_t) * static_cast<std::size_t>(variant.pair_table ? table_words<PairScores>(classes)
                                                                             : table_words<ResidueScores>(classes));
}

}  // namespace

std::span<const BandVariant> band_variants() { return variants; }

int warps_of_block(const BandVariant& variant, int classes, std::size_t shared_bytes) {
  const std::size_t table = table_bytes(variant, classes);
  if (classes > variant.max_classes() || table >= shared_bytes) return 0;
  const std::size_t fit = (shared_bytes - table) / find(variant).memory_bytes;
  return static_cast<int>(fit < static_cast<std::size_t>(variant.max_warps) ? fit : variant.max_warps);
}

std::size_t saved_words(const BandVariant& variant) { return find(variant).saved_words; }

void enqueue_encoding(const BandVariant& variant, const BandSequences& sequences, const BandProblem& problem,
                      const core::Stream& stream) {
  const auto kernel = variant.pair_table ? encode_kernel<PairScores> : encode_kernel<ResidueScores>;
  kernel<<<1024, 256, 0, stream.get()>>>(sequences, problem.query_length, problem.subject_length, problem.chunks,
                                         problem.classes);
  core::check(cudaGetLastError());
}

void enqueue_bands(const BandVariant& variant, const BandLaunch& launch, int blocks, int warps,
                   const core::Stream& stream) {
  const Compiled& one = find(variant);
  const std::size_t bytes =
      table_bytes(variant, launch.problem.classes) + one.memory_bytes * static_cast<std::size_t>(warps);
  const Kernel kernel = one.kernel_of(launch);
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(warps) * 32, bytes, stream.get()>>>(launch);
  core::check(cudaGetLastError());
}

void enqueue_band_reset(const BandLaunch& launch, const core::Stream& stream) {
  // The initial known score: 0, in the last possible band.
  core::check(cudaMemsetAsync(launch.next_band, 0, sizeof(*launch.next_band), stream.get()));
  core::check(cudaMemsetAsync(launch.known, 0, sizeof(*launch.known), stream.get()));
  if (launch.gpus > 1) {
    const std::size_t bytes = sizeof(*launch.known) * static_cast<std::size_t>(launch.gpus);
    core::check(cudaMemsetAsync(launch.known - launch.gpu, 0, bytes, stream.get()));
    core::check(cudaMemsetAsync(launch.timed_out, 0, sizeof(*launch.timed_out), stream.get()));
  }
  core::check(cudaMemsetAsync(launch.progress, 0, sizeof(*launch.progress) * static_cast<std::size_t>(launch.bands),
                              stream.get()));
  if (const BandChecks& checks = launch.problem.checks; checks.sums) {
    const std::size_t bands = static_cast<std::size_t>(launch.bands), blocks = bands * check_blocks;
    core::check(cudaMemsetAsync(checks.sums, 0, sizeof(*checks.sums) * blocks, stream.get()));
    core::check(cudaMemsetAsync(checks.maximum, 0, sizeof(*checks.maximum) * blocks, stream.get()));
    core::check(cudaMemsetAsync(checks.first_pruned, 0x7f, sizeof(*checks.first_pruned) * bands, stream.get()));
  }
}

}  // namespace speedwell::alignment

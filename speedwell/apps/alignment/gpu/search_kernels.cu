// Smith-Waterman scores of many queries against a database: the kernels. A block draws (chunk of subject pairs, query)
// items from a counter, longest subjects first, so that the load is balanced to the end; it holds the query's profile
// in shared memory, and its warps sweep the pairs through register tiles (tile.hpp).
//
// Limits. A cell pair (two subjects, one query residue) takes 3 instructions of the integer units, for E, F and H, and
// half of one for the running maximum: 3.5, of which a multiprocessor issues 64 lanes per clock. Concurrent with them
// are 3 of the half-precision units (128 lanes per clock) and 1/4 of a 16-byte shared load. The rest of a step
// (borders, residues, the loop, moves) is some 40 instructions, shared by the two columns and 4 to 32 rows of a strip.
// At 16.5 T integer instructions per second, measured on an H200, that is 9.4 TCUPS, and 8 at one instruction per clock
// and scheduler for all of them. The kernel is slower: its instructions read three registers each, more than the
// register file supplies per clock, and stall in dispatch. Immediate operands need no register read, so that the masks
// of the scores are immediates, and so are the gap costs if they are common ones (KnownCosts).
//
// 16 bits (Pair16) take 4.5 integer instructions, half of a byte permute for the scores, and 2 integer multiply-adds,
// which do not overlap freely with them: with both, a multiprocessor reaches 62 % of the rate of each alone.
//
// Long subjects: a pair has at most one warp, and its steps are a chain. A subject of 35,000 residues, the longest
// protein, takes milliseconds; taken first, it is hidden in a search of more than some 4e10 cells (100 queries against
// 20,000 subjects of 360: 2.6e11) and is what a smaller one waits for.
#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/alignment/gpu/search_kernels.hpp"

namespace speedwell::alignment {
namespace {

constexpr int search_threads = warps_per_block * 32;

/// The state of a block, in shared memory, because the strips need the registers.
struct Item {
  unsigned long long number;
  Chunk chunk;
  std::uint32_t query_index;
  QuerySpan query;
  std::uint32_t best[max_pairs_per_chunk];  // of the pairs of the chunk
};

/// Thread 0 takes the next item from the counter; false when there is none.
__device__ bool take(Item& item, const SearchData& data) {
  const unsigned long long items = static_cast<unsigned long long>(data.chunk_count) * data.query_count;
  if (threadIdx.x == 0) {
    item.number = atomicAdd(data.next_item, 1ull);
    if (item.number < items) {
      item.chunk = data.chunks[item.number / data.query_count];
      item.query_index = data.longest_first[item.number % data.query_count];
      item.query = data.queries[item.query_index];
    }
  }
  for (int p = static_cast<int>(threadIdx.x); p < max_pairs_per_chunk; p += search_threads) item.best[p] = 0;
  __syncthreads();
  return item.number < items;
}

/// Gap costs that are known at run time only.
template <class A>
struct AnyCosts {
  using Arithmetic = A;
  static __device__ CellConstants constants(const SearchData& data) { return data.constants; }
};
/// Gap costs that are known at compile time: they are immediate operands, so that instructions read two registers
/// instead of three. Three instructions per cell use these operands, and the register file limits them.
template <int open, int extend>
struct KnownCosts {
  using Arithmetic = Pair11;
  static __device__ CellConstants constants(const SearchData&) { return Pair11::constants(open, extend); }
};
/// Calls f(Costs{}) for the costs of a search.
template <class F>
void with_costs(const SearchData& data, const F& f) {
  const auto are = [&](int open, int extend) {
    return data.costs_in_code && data.gap_open == open && data.gap_extend == extend;
  };
  if (!data.eleven_bits) return f(AnyCosts<Pair16>{});
  if (are(11, 1)) return f(KnownCosts<11, 1>{});  // the default of blastp
  if (are(5, 2)) return f(KnownCosts<5, 2>{});    // the default of blastn
  if (are(10, 2)) return f(KnownCosts<10, 2>{});  // the default of ssearch36
  return f(AnyCosts<Pair11>{});
}

template <class Costs>
__global__ void __launch_bounds__(search_threads, 4) pairs_kernel(const __grid_constant__ SearchData data) {
  extern __shared__ __align__(128) char profile[];
  __shared__ Item item;
  Border* scratch = data.scratch + blockIdx.x * data.scratch_columns;
  const CellConstants constants = Costs::constants(data);
  while (take(item, data)) {
    for (std::int64_t row = 0; row < item.query.length;) {
      const int lanes = static_cast<int>(item.chunk.lanes);
      const int strip = strip_rows(item.query.length, row, lanes);
      with_strip(strip, [&]<int R>() {
        using Arithmetic = typename Costs::Arithmetic;
        build_profile<Arithmetic, R>(profile, data.query_codes + item.query.begin, item.query.length,
                                     static_cast<int>(row), lanes, data.scores, data.alphabet_size, constants,
                                     static_cast<int>(threadIdx.x), search_threads);
        __syncthreads();
        DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
        sweep_pairs<Arithmetic, R>(warp, data, constants, item.chunk, item.query.length, static_cast<int>(row), profile,
                                   scratch, static_cast<int>(threadIdx.x / 32), item.best);
      });
      row += std::int64_t{lanes} * strip;
      __syncthreads();  // the profile may be overwritten; borders and best are written
    }
    for (std::uint32_t pair = threadIdx.x; pair < item.chunk.pairs; pair += search_threads)
      store_pair(data, item.chunk, item.query_index, pair, item.best[pair]);
    __syncthreads();  // the item may be overwritten
  }
}

/// Lists the marked results of [begin, end), as offsets from begin.
__global__ void collect_kernel(const __grid_constant__ SearchData data, std::size_t begin, std::size_t end) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += threads)
    if (data.results[i] == needs_32_bits)
      data.wide_list[atomicAdd(data.wide_count, 1u)] = static_cast<std::uint32_t>(i - begin);
}

/// One warp per block, one query and one subject at a time, all lanes in one group.
__global__ void __launch_bounds__(32) search32_kernel(const __grid_constant__ SearchData data, std::size_t begin) {
  extern __shared__ __align__(128) char profile[];
  DeviceWarp warp{static_cast<int>(threadIdx.x)};
  Border* scratch = data.scratch + blockIdx.x * data.scratch_columns32;
  const unsigned int count = *data.wide_count;
  for (unsigned int i = blockIdx.x; i < count; i += gridDim.x) {
    const std::size_t result = begin + data.wide_list[i];
    const std::int32_t score = sweep_wide(warp, data, result, profile, scratch);
    if (warp.lane == 0) data.results[result] = score;
  }
}

/// Four columns per thread.
__global__ void pack_kernel(const __grid_constant__ PackSource source, std::uint64_t columns, std::uint8_t* residues) {
  const std::uint64_t stride = 4 * std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t column = 4 * (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x); column < columns;
       column += stride)
    *reinterpret_cast<std::uint64_t*>(residues + 2 * column) = pack_columns(source, column);
}

template <class Kernel>
int resident(Kernel kernel, int threads, int shared_bytes) {
  int blocks = 0;
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks;
}

}  // namespace

int pair_blocks_per_multiprocessor(const SearchData& data, int bytes) {
  int blocks = 0;
  with_costs(data, [&]<class Costs>(Costs) {
    // Required before a block may have more than 48 KiB of shared memory. The value is the same for all searches, so
    // that a small one does not lower the limit of a large one.
    core::check(cudaFuncSetAttribute(pairs_kernel<Costs>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     profile_bytes(max_strip, code_limit - 2)));
    blocks = resident(pairs_kernel<Costs>, search_threads, bytes);
  });
  return blocks;
}
int blocks_per_multiprocessor32(int alphabet_size) {
  return resident(search32_kernel, 32, profile_bytes(wide_strip, alphabet_size));
}

void enqueue_pack(const PackSource& source, std::uint64_t columns, std::uint8_t* residues, const core::Stream& stream) {
  if (columns == 0) return;
  const std::uint64_t blocks = (columns / 4 + 255) / 256;
  pack_kernel<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), 256, 0, stream.get()>>>(source, columns,
                                                                                                residues);
  core::check(cudaGetLastError());
}

void enqueue_pairs(const SearchData& data, int blocks, int bytes, const core::Stream& stream) {
  core::check(cudaMemsetAsync(data.next_item, 0, sizeof(*data.next_item), stream.get()));
  with_costs(data, [&]<class Costs>(Costs) {
    pairs_kernel<Costs>
        <<<static_cast<unsigned>(blocks), search_threads, static_cast<std::size_t>(bytes), stream.get()>>>(data);
  });
  core::check(cudaGetLastError());
}

void enqueue_search32(const SearchData& data, int blocks, const core::Stream& stream) {
  const std::size_t results = data.query_count * data.subjects;
  const auto bytes = static_cast<std::size_t>(profile_bytes(wide_strip, data.alphabet_size));
  for (std::size_t begin = 0; begin < results; begin += wide_window) {
    const std::size_t end = results - begin < wide_window ? results : begin + wide_window;
    core::check(cudaMemsetAsync(data.wide_count, 0, sizeof(*data.wide_count), stream.get()));
    collect_kernel<<<static_cast<unsigned>((end - begin + 1023) / 1024), 256, 0, stream.get()>>>(data, begin, end);
    core::check(cudaGetLastError());
    search32_kernel<<<static_cast<unsigned>(blocks), 32, bytes, stream.get()>>>(data, begin);
    core::check(cudaGetLastError());
  }
}

}  // namespace speedwell::alignment

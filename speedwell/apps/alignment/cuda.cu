// Smith-Waterman scores of many queries against a database: the kernels. A block takes (chunk of subject pairs, query)
// items from a counter, longest subjects first, so that the device is even to the end; it keeps the query's profile in
// shared memory and its warps sweep the pairs through register tiles (tile.hpp).
//
// What bounds it. A cell pair (two subjects, one query letter) takes 4 DPX instructions for E, F, the maximum and H,
// 1/2 for the running best and 1/2 byte permute to bring two subjects' scores into one word: 5 on the integer units.
// Beside them run 2 multiply-adds, 3/4 of a register move and 1/4 of a 16-byte shared load. The rest of a step
// (borders, letters, the loop) comes to about 15 integer instructions, shared by the 4 to 32 rows of a strip. For sm_90
// ptxas makes 9.3 instructions a cell pair of them at 32 rows and 9.9 at 16, of which 5.5 and 5.6 are integer. At 16.5
// T integer instructions a second, measured on an H200, that is 5.9 TCUPS. Rows past the query's end (4 % at 360
// letters), draining and unequal lengths (3 %) and stalls are to be taken off: 4.5 to 5.2 TCUPS is what to expect.
//
// Long subjects: a pair has at most one warp, and its steps are a chain. With 12 rows a lane (a query of 360 letters) a
// lonely warp takes about 300 clocks a step, so a subject of 35,000 letters, the longest protein, takes 5 ms; 4 warps a
// scheduler, 9 ms. Taken first, it is hidden in a search of more than 4e10 cells (100 queries against 20,000 subjects
// of 360: 2.6e11) and is what a smaller one waits for.
#include "speedwell/apps/alignment/device_warp.hpp"
#include "speedwell/apps/alignment/search_kernels.hpp"

namespace speedwell::alignment {
namespace {

constexpr int search_threads = warps_per_block * 32;

/// What a block is at, in shared memory: registers are for the strips.
struct Item {
  unsigned long long number;
  Chunk chunk;
  std::uint32_t query_index;
  QuerySpan query;
  std::uint32_t best[most_pairs_per_chunk];  // of the pairs of the chunk
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
  for (int p = static_cast<int>(threadIdx.x); p < most_pairs_per_chunk; p += search_threads) item.best[p] = 0;
  __syncthreads();
  return item.number < items;
}

__global__ void __launch_bounds__(search_threads, 4) search16_kernel(const __grid_constant__ SearchData data) {
  extern __shared__ __align__(128) char profile[];
  __shared__ Item item;
  Border* scratch = data.scratch + blockIdx.x * data.scratch_columns16;
  while (take(item, data)) {
    for (std::int64_t row = 0; row < item.query.length;) {
      const int lanes = static_cast<int>(item.chunk.lanes);
      const int strip = strip_rows(item.query.length, row, lanes);
      with_strip(strip, [&]<int R>() {
        build_profile<R>(profile, data.query_codes + item.query.begin, item.query.length, static_cast<int>(row), lanes,
                         data.scores, data.alphabet_letters, static_cast<int>(threadIdx.x), search_threads);
        __syncthreads();
        DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
        sweep_pairs<R>(warp, data, item.chunk, item.query.length, static_cast<int>(row), profile, scratch,
                       static_cast<int>(threadIdx.x / 32), item.best);
      });
      row += std::int64_t{lanes} * strip;
      __syncthreads();  // nobody reads the profile any more; borders and best are written
    }
    for (std::uint32_t pair = threadIdx.x; pair < item.chunk.pairs; pair += search_threads)
      store_pair(data, item.chunk, item.query_index, pair, item.best[pair]);
    __syncthreads();  // the item may be written again
  }
}

/// Lists the marked results of [begin, end), as distances from begin.
__global__ void collect_kernel(const __grid_constant__ SearchData data, std::size_t begin, std::size_t end) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += threads)
    if (data.results[i] == needs_32_bits)
      data.wide_list[atomicAdd(data.wide_count, 1u)] = static_cast<std::uint32_t>(i - begin);
}

/// One warp a block, one query and one subject at a time, all lanes in one group.
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

/// Four columns a thread.
__global__ void pack_kernel(const __grid_constant__ PackSource source, std::uint64_t columns, std::uint8_t* letters) {
  const std::uint64_t stride = 4 * std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t column = 4 * (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x); column < columns;
       column += stride)
    *reinterpret_cast<std::uint64_t*>(letters + 2 * column) = pack_columns(source, column);
}

template <class Kernel>
int resident(Kernel kernel, int threads, int shared_bytes) {
  int blocks = 0;
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks;
}

}  // namespace

int blocks_per_multiprocessor16(int bytes) {
  // A block may have more than 48 KiB only after this. The same for all searches: a small one must not shut a large one
  // out.
  core::check(cudaFuncSetAttribute(search16_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   profile_bytes(most_strip, code_limit - 2)));
  return resident(search16_kernel, search_threads, bytes);
}
int blocks_per_multiprocessor32(int alphabet_letters) {
  return resident(search32_kernel, 32, profile_bytes(wide_strip, alphabet_letters));
}

void enqueue_pack(const PackSource& source, std::uint64_t columns, std::uint8_t* letters, const core::Stream& stream) {
  if (columns == 0) return;
  const std::uint64_t blocks = (columns / 4 + 255) / 256;
  pack_kernel<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), 256, 0, stream.get()>>>(source, columns,
                                                                                                letters);
  core::check(cudaGetLastError());
}

void enqueue_search16(const SearchData& data, int blocks, int bytes, const core::Stream& stream) {
  core::check(cudaMemsetAsync(data.next_item, 0, sizeof(*data.next_item), stream.get()));
  search16_kernel<<<static_cast<unsigned>(blocks), search_threads, static_cast<std::size_t>(bytes), stream.get()>>>(
      data);
  core::check(cudaGetLastError());
}

void enqueue_search32(const SearchData& data, int blocks, const core::Stream& stream) {
  const std::size_t results = data.query_count * data.subjects;
  const auto bytes = static_cast<std::size_t>(profile_bytes(wide_strip, data.alphabet_letters));
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

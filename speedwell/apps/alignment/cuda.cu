// Smith-Waterman scores of many queries against a database: the kernels. A block takes (chunk of subject pairs, query)
// items from a counter, longest subjects first, so that the device is even to the end; it keeps the query's profile in
// shared memory and its warps sweep the pairs through register tiles (tile.hpp).
//
// What bounds it, from the instructions of a cell pair (two subjects, one query letter): 4 DPX for E, F, their maximum
// and H, 1/2 for the running best, 1/2 byte permute to bring two subjects' scores into one word, all on the integer
// units; 2 multiply-adds beside them; 1/4 of a 16-byte shared load. 16.5 T integer instructions a second on an H200 / 5
// = 3.3 T pairs = 6.6 TCUPS; about 10 more a step, shared by the strip's rows, padding and draining leave 5 to 5.5.
#include "speedwell/apps/alignment/search_kernels.hpp"

namespace speedwell::alignment {
namespace {

constexpr int search_threads = warps_per_block * 32;
constexpr unsigned all_lanes = 0xffffffffu;
/// Not 0xff bytes, so that a result that was never written is not mistaken for it.
constexpr std::int32_t needs_32_bits = static_cast<std::int32_t>(0x80000000u);

/// The lanes of a real warp; see HostWarp (warp.hpp). Callable from host code only so that templates may name it.
struct DeviceWarp {
  int lane;

  template <class T>
  struct Per {
    T value;
    SPEEDWELL_HD
    T& operator[](int) { return value; }
    SPEEDWELL_HD
    const T& operator[](int) const { return value; }
  };

  template <class F>
  SPEEDWELL_HD
  void each(F&& f) const { f(lane); }
  SPEEDWELL_HD
  Per<Border> shift_up(const Per<Border>& from) const {
#ifdef __CUDA_ARCH__
    return {{__shfl_up_sync(all_lanes, from.value.h, 1), __shfl_up_sync(all_lanes, from.value.f, 1)}};
#else
    return from;
#endif
  }
  template <class Arithmetic>
  __device__ void largest_of_group(Per<std::uint32_t>& value, int lanes) const {
    for (int distance = 1; distance < lanes; distance *= 2) {
      const std::uint32_t other = __shfl_xor_sync(all_lanes, value.value, distance);
      value.value = Arithmetic::max3(value.value, other, other);
    }
  }
};

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
  if (threadIdx.x == 0) {
    item.number = atomicAdd(data.next_item, 1ull);
    if (item.number < static_cast<unsigned long long>(data.chunk_count) * data.query_count) {
      item.chunk = data.chunks[item.number / data.query_count];
      item.query_index = data.longest_first[item.number % data.query_count];
      item.query = data.queries[item.query_index];
    }
  }
  for (int p = static_cast<int>(threadIdx.x); p < most_pairs_per_chunk; p += search_threads) item.best[p] = 0;
  __syncthreads();
  return item.number < static_cast<unsigned long long>(data.chunk_count) * data.query_count;
}

/// The tile from `first_row` on of the item's query against the pairs of its chunk.
template <int R>
__device__ void sweep_chunk(Item& item, const SearchData& data, int first_row, char* profile, Border* scratch) {
  const int lanes = static_cast<int>(item.chunk.lanes);
  build_profile<R>(profile, data.query_codes + item.query.begin, item.query.length, first_row, lanes, data.scores,
                   data.alphabet_letters, static_cast<int>(threadIdx.x), search_threads);
  __syncthreads();

  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const auto groups = static_cast<std::uint32_t>(32 / lanes);
  const auto group = static_cast<std::uint32_t>(warp.lane / lanes);
  const auto padding = static_cast<std::uint32_t>(padding_letter(data.alphabet_letters));
  Pass pass{.profile = profile,
            .lanes = lanes,
            .padding = padding | padding << 8,
            .reads_border = first_row > 0,
            .writes_border = std::int64_t{first_row} + lanes * R < item.query.length};

  for (std::uint32_t first = threadIdx.x / 32 * groups; first < item.chunk.pairs; first += warps_per_block * groups) {
    const std::uint64_t* bounds = data.first_column + item.chunk.first_pair + first;
    pass.steps = static_cast<int>(bounds[1] - bounds[0]) + lanes;  // the warp's first pair is its longest
    DeviceWarp::Per<Subjects> work{};
    DeviceWarp::Per<std::uint32_t> value{0};
    const bool busy = first + group < item.chunk.pairs;
    if (busy) {
      const std::uint64_t begin = bounds[group];
      work.value = {.letters = data.letters + 2 * begin,
                    .border = scratch + (begin - data.first_column[item.chunk.first_pair]),
                    .columns = static_cast<int>(bounds[group + 1] - begin)};
    }
    sweep<Pair16, R>(warp, pass, work, data.constants16, value);
    warp.largest_of_group<Pair16>(value, lanes);
    if (first + group < item.chunk.pairs && warp.lane % lanes == 0) {
      std::uint32_t& best = item.best[first + group];
      best = Pair16::max3(best, value.value, value.value);
    }
  }
}

__global__ void __launch_bounds__(search_threads, 4) search16_kernel(const __grid_constant__ SearchData data) {
  extern __shared__ __align__(128) char profile[];
  __shared__ Item item;
  Border* scratch = data.scratch + blockIdx.x * data.scratch_columns16;
  while (take(item, data)) {
    for (std::int64_t row = 0; row < item.query.length;) {
      const int strip = strip_rows(item.query.length, row, static_cast<int>(item.chunk.lanes));
      const auto tile = [&]<int R>() { sweep_chunk<R>(item, data, static_cast<int>(row), profile, scratch); };
      switch (strip) {
        case 4:
          tile.template operator()<4>();
          break;
        case 8:
          tile.template operator()<8>();
          break;
        case 12:
          tile.template operator()<12>();
          break;
        case 16:
          tile.template operator()<16>();
          break;
        case 20:
          tile.template operator()<20>();
          break;
        case 24:
          tile.template operator()<24>();
          break;
        case 28:
          tile.template operator()<28>();
          break;
        default:
          tile.template operator()<most_strip>();
          break;
      }
      row += std::int64_t{item.chunk.lanes} * strip;
      __syncthreads();  // nobody reads the profile any more; borders and best are written
    }
    for (std::uint32_t i = threadIdx.x; i < 2 * item.chunk.pairs; i += search_threads) {
      const std::uint32_t subject = data.order[2 * static_cast<std::size_t>(item.chunk.first_pair) + i];
      if (subject == PairedSubjects::none) continue;
      const std::int32_t score = Pair16::score(item.best[i / 2], static_cast<int>(i % 2));
      data.results[item.query_index * data.subjects + subject] = score > data.limit16 ? needs_32_bits : score;
    }
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
    const QuerySpan query = data.queries[result / data.subjects];
    const std::uint32_t place = data.place[result % data.subjects];
    const std::uint64_t* bounds = data.first_column + place / 2;
    const DeviceWarp::Per<Subjects> work{{.letters = data.letters + 2 * bounds[0] + place % 2,
                                          .border = scratch,
                                          .columns = static_cast<int>(bounds[1] - bounds[0])}};
    DeviceWarp::Per<std::uint32_t> value{0};
    constexpr int tile = 32 * wide_strip;
    for (std::int64_t row = 0; row < query.length; row += tile) {
      __syncwarp();
      build_profile<wide_strip>(profile, data.query_codes + query.begin, query.length, static_cast<int>(row), 32,
                                data.scores, data.alphabet_letters, warp.lane, 32);
      __syncwarp();
      const Pass pass{.profile = profile,
                      .lanes = 32,
                      .steps = work.value.columns + 32,
                      .padding = static_cast<std::uint32_t>(padding_letter(data.alphabet_letters)),
                      .reads_border = row > 0,
                      .writes_border = row + tile < query.length};
      sweep<Single32, wide_strip>(warp, pass, work, data.constants32, value);
    }
    warp.largest_of_group<Single32>(value, 32);
    if (warp.lane == 0) data.results[result] = static_cast<std::int32_t>(value.value);
  }
}

/// Four columns a thread: both letters of each, padding past a subject's end.
__global__ void pack_kernel(const std::uint8_t* codes, const std::uint64_t* offsets, const std::uint64_t* first_column,
                            const std::uint32_t* order, std::size_t pairs, std::uint64_t quads, int alphabet_letters,
                            std::uint8_t* letters) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t quad = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; quad < quads; quad += threads) {
    const std::uint64_t column = 4 * quad;
    std::size_t pair = 0, end = pairs;  // the last pair whose first column is not past `column`
    while (end - pair > 1) {
      const std::size_t middle = pair + (end - pair) / 2;
      (first_column[middle] <= column ? pair : end) = middle;
    }
    std::uint64_t word = 0;
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t subject = order[2 * pair + half];
      const bool there = subject != PairedSubjects::none;
      const std::uint64_t begin = there ? offsets[subject] : 0;
      const std::uint64_t length = there ? offsets[subject + 1] - begin : 0;
      for (int c = 0; c < 4; ++c) {
        const std::uint64_t at = column + c - first_column[pair];
        int letter = padding_letter(alphabet_letters);
        if (at < length) letter = min(static_cast<int>(codes[begin + at]), alphabet_letters);
        word |= static_cast<std::uint64_t>(letter) << (16 * c + 8 * half);
      }
    }
    *reinterpret_cast<std::uint64_t*>(letters + 2 * column) = word;
  }
}

template <class Kernel>
int resident(Kernel kernel, int threads, int shared_bytes) {
  int blocks = 0;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks;
}

}  // namespace

int profile_bytes(int strip, int alphabet_letters) {
  return profile_letters(alphabet_letters) * ((strip + 7) / 8) * ProfileLayout<8>::bytes_per_chunk;
}
int blocks_per_multiprocessor16(int bytes) { return resident(search16_kernel, search_threads, bytes); }
int blocks_per_multiprocessor32(int alphabet_letters) {
  return resident(search32_kernel, 32, profile_bytes(wide_strip, alphabet_letters));
}

void enqueue_pack(const std::uint8_t* codes, const std::uint64_t* offsets, const std::uint64_t* first_column,
                  const std::uint32_t* order, std::size_t pairs, std::uint64_t columns, int alphabet_letters,
                  std::uint8_t* letters, const core::Stream& stream) {
  const std::uint64_t quads = columns / 4;
  if (quads == 0) return;
  const auto blocks = static_cast<unsigned>(quads / 256 < 65535 ? quads / 256 + 1 : 65535);
  pack_kernel<<<blocks, 256, 0, stream.get()>>>(codes, offsets, first_column, order, pairs, quads, alphabet_letters,
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

// GpuSimilar's kernels.
//
// What bounds the sweep: five instructions for two cells, three of them integer, as in the search
// (gpu/search_kernels.cu). What bounds the filter: eight integer instructions for a cell of 32 columns.
#include "speedwell/apps/alignment/ssca1/gpu/gpu_sample.hpp"
#include "speedwell/apps/alignment/ssca1/gpu/gpu_similar_kernels.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

constexpr int sweep_threads = 256;
constexpr int chunk_threads = 128;
constexpr int chunk_blocks = 32;  // of a query: enough for all multiprocessors with a few queries
constexpr int match_threads = 256;
constexpr int filter_warps = 8;  // of a block
constexpr int choice_threads = 256;

/// A thread for each section, a row of blocks for each pair.
template <int R>
__global__ void __launch_bounds__(sweep_threads)
    sweep_kernel(PlaceSearch search, const QueryPair* pairs, std::int64_t section) {
  extern __shared__ __align__(128) char table[];
  const QueryPair pair = pairs[blockIdx.y];
  build_pair_table<R>(table, search, pair, static_cast<int>(threadIdx.x), sweep_threads);
  __syncthreads();
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * sweep_threads + threadIdx.x) * section;
  if (first >= search.columns) return;
  const std::int64_t last = first + section < search.columns ? first + section : search.columns;
  find_in_section<R>(search, pair, first, last, table + threadIdx.x % 8 * 16);
}

/// A thread for each two chunks, a row of blocks for each query. A query with more chunks than were kept gets too many
/// places, too.
template <int R>
__global__ void __launch_bounds__(chunk_threads)
    chunk_kernel(PlaceSearch search, ErrorSearch errors, const ErrorQuery* wanted) {
  extern __shared__ __align__(128) char table[];
  const std::int32_t query = wanted[blockIdx.y].query;
  const std::int64_t count = errors.chunk_counts[query];
  if (count > errors.capacity) {
    if (blockIdx.x == 0 && threadIdx.x == 0) search.counts[query] = search.capacity + 1;
    return;
  }
  std::int64_t k = 2 * static_cast<std::int64_t>(blockIdx.x) * chunk_threads;
  if (k >= count) return;
  build_pair_table<R>(table, search, {{query, query}}, static_cast<int>(threadIdx.x), chunk_threads);
  __syncthreads();
  const std::uint32_t* const chunks = errors.chunks + query * static_cast<std::int64_t>(errors.capacity);
  for (k += 2 * threadIdx.x; k < count; k += 2 * static_cast<std::int64_t>(gridDim.x) * chunk_threads) {
    const std::int64_t second = k + 1 < count ? static_cast<std::int64_t>(chunks[k + 1]) * chunk_columns : -1;
    find_in_chunks<R>(search, query, static_cast<std::int64_t>(chunks[k]) * chunk_columns, second,
                      table + threadIdx.x % 8 * 16);
  }
}

/// A thread for four columns of 32 sections, a row of blocks for each 32 threads of the filter.
__global__ void __launch_bounds__(match_threads)
    match_kernel(MatchLayout layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                 std::uint32_t* matches) {
  extern __shared__ std::uint32_t all_masks[];
  const int words = symbols * (layout.classes > 32 ? 2 : 1);
  for (int k = static_cast<int>(threadIdx.x); k < words; k += match_threads) all_masks[k] = masks[k];
  __syncthreads();
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.y) * 32 + threadIdx.x % 32;
  const int column = 4 * (static_cast<int>(blockIdx.x) * (match_threads / 32) + static_cast<int>(threadIdx.x) / 32);
  if (column < layout.lead + layout.section) build_matches(layout, main, all_masks, symbols, thread, column, matches);
}

/// A warp for each query and 32 threads' sections, a row of blocks for each filter_warps queries: those of a block read
/// the same words. Registers for sixteen warps, as many as keep the units busy.
__global__ void __launch_bounds__(32 * filter_warps, 16 / filter_warps)
    filter_kernel(PlaceSearch search, ErrorSearch errors, const ErrorQuery* wanted, int count) {
  const int query = static_cast<int>(blockIdx.y) * filter_warps + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * 32 + threadIdx.x % 32;
  if (query < count) find_chunks(search, errors, wanted[query], thread);
}

__global__ void __launch_bounds__(choice_threads)
    guess_kernel(PlaceSearch search, std::int64_t wanted, std::int32_t* score) {
  __shared__ std::uint32_t bins[score_bins];
  guess_score(DeviceBlock{}, search, wanted, static_cast<std::int32_t>(blockIdx.x), bins, score);
}

__global__ void __launch_bounds__(choice_threads)
    choice_kernel(PlaceSearch search, PlaceChoice choice, const std::int32_t* queries) {
  extern __shared__ __align__(16) char memory[];
  choose_places(DeviceBlock{}, search, choice, queries[blockIdx.x], *reinterpret_cast<ChoiceMemory*>(memory));
}

struct RowKernels {
  void (*sweep)(PlaceSearch, const QueryPair*, std::int64_t);
  void (*chunks)(PlaceSearch, ErrorSearch, const ErrorQuery*);
};
RowKernels kernels_of(int rows) {
  switch (rows) {
    case 8:
      return {sweep_kernel<8>, chunk_kernel<8>};
    case 12:
      return {sweep_kernel<12>, chunk_kernel<12>};
    case 16:
      return {sweep_kernel<16>, chunk_kernel<16>};
    case 20:
      return {sweep_kernel<20>, chunk_kernel<20>};
    case 24:
      return {sweep_kernel<24>, chunk_kernel<24>};
    case 32:
      return {sweep_kernel<32>, chunk_kernel<32>};
    default:
      return {sweep_kernel<64>, chunk_kernel<64>};
  }
}

}  // namespace

void allow_shared_bytes(int rows, int symbols) {
  const RowKernels kernels = kernels_of(rows);
  const int bytes = pair_table_bytes(rows, symbols);
  core::check(cudaFuncSetAttribute(kernels.sweep, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  core::check(cudaFuncSetAttribute(kernels.chunks, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  core::check(cudaFuncSetAttribute(choice_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sizeof(ChoiceMemory))));
}
void sweep_pairs(int rows, const PlaceSearch& search, const QueryPair* pairs, std::size_t count, std::int64_t section,
                 const core::Stream& stream) {
  const std::int64_t sections = (search.columns + section - 1) / section;
  const auto shared = static_cast<std::size_t>(pair_table_bytes(rows, search.symbols));
  constexpr std::size_t most = 65535;  // of a grid's second dimension
  for (std::size_t first = 0; first < count; first += most) {
    const dim3 blocks(static_cast<unsigned>(core::blocks_for(sections, sweep_threads)),
                      static_cast<unsigned>(std::min(count - first, most)));
    kernels_of(rows).sweep<<<blocks, sweep_threads, shared, stream.get()>>>(search, pairs + first, section);
    core::check(cudaGetLastError());
  }
}

void guess_scores(const PlaceSearch& search, std::size_t count, std::int64_t wanted, std::int32_t* score,
                  const core::Stream& stream) {
  guess_kernel<<<static_cast<unsigned>(count), choice_threads, 0, stream.get()>>>(search, wanted, score);
  core::check(cudaGetLastError());
}

void write_matches(const MatchLayout& layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                   std::uint32_t* matches, const core::Stream& stream) {
  const std::int64_t fours = (layout.lead + layout.section) / 4;
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(fours, match_threads / 32)),
                    static_cast<unsigned>(layout.warps()));
  const auto shared = static_cast<std::size_t>(symbols) * (layout.classes > 32 ? 8 : 4);
  match_kernel<<<blocks, match_threads, shared, stream.get()>>>(layout, main, masks, symbols, matches);
  core::check(cudaGetLastError());
}

void filter_chunks(const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted, std::size_t count,
                   const core::Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(errors.layout.warps()),
                    static_cast<unsigned>(core::blocks_for(static_cast<std::int64_t>(count), filter_warps)));
  filter_kernel<<<blocks, 32 * filter_warps, 0, stream.get()>>>(search, errors, wanted, static_cast<int>(count));
  core::check(cudaGetLastError());
}

void sweep_chunks(int rows, const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted,
                  std::size_t count, const core::Stream& stream) {
  const auto shared = static_cast<std::size_t>(pair_table_bytes(rows, search.symbols));
  const dim3 blocks(chunk_blocks, static_cast<unsigned>(count));
  kernels_of(rows).chunks<<<blocks, chunk_threads, shared, stream.get()>>>(search, errors, wanted);
  core::check(cudaGetLastError());
}

void choose(const PlaceSearch& search, const PlaceChoice& choice, const std::int32_t* queries, std::size_t count,
            const core::Stream& stream) {
  choice_kernel<<<static_cast<unsigned>(count), choice_threads, sizeof(ChoiceMemory), stream.get()>>>(search, choice,
                                                                                                      queries);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::alignment::ssca1

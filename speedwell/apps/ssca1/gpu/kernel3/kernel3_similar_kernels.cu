// GpuSimilar's kernels.
//
// The limit of the sweep: five instructions for two cells, three of them integer, as in the search
// (gpu/search_kernels.cu). The limit of the filter: eight integer instructions for a cell of 32 columns.
#include <algorithm>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_sample.hpp"
#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_similar_kernels.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr int sweep_threads = 256;
constexpr int chunk_threads = 128;
constexpr int chunk_blocks = 128;  // per query; most of them have no work
constexpr int match_threads = 256;
constexpr int filter_warps = 8;  // warps of a block
constexpr int choice_threads = 256;

/// One thread per section, a row of blocks per pair.
template <int R>
__global__ void __launch_bounds__(sweep_threads)
    sweep_kernel(RegionSearch search, const QueryPair* pairs, std::int64_t section) {
  extern __shared__ __align__(128) char table[];
  const QueryPair pair = pairs[blockIdx.y];
  build_pair_table<R>(table, search, pair, static_cast<int>(threadIdx.x), sweep_threads);
  __syncthreads();
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * sweep_threads + threadIdx.x) * section;
  if (first >= search.columns) return;
  const std::int64_t last = first + section < search.columns ? first + section : search.columns;
  find_in_section<R>(search, pair, first, last, table + threadIdx.x % 8 * 16);
}

/// The chunks of a query of up to R symbols, two per thread.
template <int R>
__device__ void find_in_all_chunks(const RegionSearch& search, const ErrorSearch& errors, std::int32_t query,
                                   std::int64_t count, char* table) {
  build_pair_table<R>(table, search, {{query, query}}, static_cast<int>(threadIdx.x), chunk_threads);
  __syncthreads();
  const std::uint32_t* const chunks = errors.chunks + query * static_cast<std::int64_t>(errors.capacity);
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * chunk_threads;
  for (std::int64_t k = 2 * (static_cast<std::int64_t>(blockIdx.x) * chunk_threads + threadIdx.x); k < count;
       k += 2 * threads) {
    const std::int64_t second = k + 1 < count ? static_cast<std::int64_t>(chunks[k + 1]) * chunk_columns : -1;
    find_in_chunks<R>(search, query, static_cast<std::int64_t>(chunks[k]) * chunk_columns, second,
                      table + threadIdx.x % 8 * 16);
  }
}

/// A row of blocks per query. A query with more chunks than were stored also gets too many regions.
__global__ void __launch_bounds__(chunk_threads)
    chunk_kernel(RegionSearch search, ErrorSearch errors, const ErrorQuery* wanted) {
  extern __shared__ __align__(128) char table[];
  const std::int32_t query = wanted[blockIdx.y].query;
  const std::int64_t count = errors.chunk_counts[query];
  if (count > errors.capacity) {
    if (blockIdx.x == 0 && threadIdx.x == 0) search.counts[query] = search.capacity + 1;
    return;
  }
  if (2 * static_cast<std::int64_t>(blockIdx.x) * chunk_threads >= count) return;
  const std::int32_t length = search.queries[query].length;
  static_assert(max_filter_rows == 20);
  if (length <= 8) return find_in_all_chunks<8>(search, errors, query, count, table);
  if (length <= 12) return find_in_all_chunks<12>(search, errors, query, count, table);
  if (length <= 16) return find_in_all_chunks<16>(search, errors, query, count, table);
  find_in_all_chunks<20>(search, errors, query, count, table);
}

/// One thread per four columns of 32 sections, a row of blocks per 32 threads of the filter.
__global__ void __launch_bounds__(match_threads)
    match_kernel(MatchLayout layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                 std::uint32_t* matches) {
  extern __shared__ std::uint32_t all_masks[];
  const int words = symbols * (layout.classes > 32 ? 2 : 1);
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x); k < words; k += match_threads) all_masks[k] = masks[k];
  __syncthreads();
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.y) * 32 + threadIdx.x % 32;
  const int column = 4 * (static_cast<int>(blockIdx.x) * (match_threads / 32) + static_cast<int>(threadIdx.x) / 32);
  if (column < layout.lead + layout.section) build_matches(layout, main, all_masks, symbols, thread, column, matches);
}

/// One warp per query and 32 threads' sections, a row of blocks per filter_warps queries: those of a block read the
/// same words. The registers allow sixteen warps, which suffice to keep the units busy.
__global__ void __launch_bounds__(32 * filter_warps, 16 / filter_warps)
    filter_kernel(RegionSearch search, ErrorSearch errors, const ErrorQuery* wanted, int count) {
  const int query = static_cast<int>(blockIdx.y) * filter_warps + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * 32 + threadIdx.x % 32;
  if (query < count) find_chunks(search, errors, wanted[query], thread);
}

__global__ void __launch_bounds__(choice_threads)
    guess_kernel(RegionSearch search, std::int64_t wanted, std::int32_t* score) {
  __shared__ std::uint32_t bins[score_bins];
  guess_score(DeviceBlock{}, search, wanted, static_cast<std::int32_t>(blockIdx.x), bins, score);
}

__global__ void __launch_bounds__(choice_threads)
    choice_kernel(RegionSearch search, RegionChoice choice, const std::int32_t* queries) {
  extern __shared__ __align__(16) char memory[];
  choose_regions(DeviceBlock{}, search, choice, queries[blockIdx.x], *reinterpret_cast<ChoiceMemory*>(memory));
}

using SweepKernel = void (*)(RegionSearch, const QueryPair*, std::int64_t);
SweepKernel sweep_kernel_of(int rows) {
  switch (rows) {
    case 8:
      return sweep_kernel<8>;
    case 12:
      return sweep_kernel<12>;
    case 16:
      return sweep_kernel<16>;
    case 20:
      return sweep_kernel<20>;
    case 24:
      return sweep_kernel<24>;
    case 32:
      return sweep_kernel<32>;
    default:
      return sweep_kernel<64>;
  }
}

}  // namespace

void allow_shared_bytes(int rows, int symbols) {
  const auto allow = [](auto kernel, int bytes) {
    core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  };
  allow(sweep_kernel_of(rows), pair_table_bytes(rows, symbols));
  allow(chunk_kernel, pair_table_bytes(max_filter_rows, symbols));
  allow(choice_kernel, static_cast<int>(sizeof(ChoiceMemory)));
}

void sweep_pairs(int rows, const RegionSearch& search, const QueryPair* pairs, std::size_t count, std::int64_t section,
                 const core::Stream& stream) {
  const std::int64_t sections = (search.columns + section - 1) / section;
  const auto shared = static_cast<std::size_t>(pair_table_bytes(rows, search.symbols));
  constexpr std::size_t maximum = 65535;  // the maximum extent of a grid's second dimension
  for (std::size_t first = 0; first < count; first += maximum) {
    const dim3 blocks(static_cast<unsigned>(core::blocks_for(sections, sweep_threads)),
                      static_cast<unsigned>(std::min(count - first, maximum)));
    sweep_kernel_of(rows)<<<blocks, sweep_threads, shared, stream.get()>>>(search, pairs + first, section);
    core::check(cudaGetLastError());
  }
}

void guess_scores(const RegionSearch& search, std::size_t count, std::int64_t wanted, std::int32_t* score,
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

void filter_chunks(const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted, std::size_t count,
                   const core::Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(errors.layout.warps()),
                    static_cast<unsigned>(core::blocks_for(static_cast<std::int64_t>(count), filter_warps)));
  filter_kernel<<<blocks, 32 * filter_warps, 0, stream.get()>>>(search, errors, wanted, static_cast<int>(count));
  core::check(cudaGetLastError());
}

void sweep_chunks(int rows, const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery* wanted,
                  std::size_t count, const core::Stream& stream) {
  const auto shared = static_cast<std::size_t>(pair_table_bytes(rows, search.symbols));
  const dim3 blocks(chunk_blocks, static_cast<unsigned>(count));
  chunk_kernel<<<blocks, chunk_threads, shared, stream.get()>>>(search, errors, wanted);
  core::check(cudaGetLastError());
}

void choose(const RegionSearch& search, const RegionChoice& choice, const std::int32_t* queries, std::size_t count,
            const core::Stream& stream) {
  choice_kernel<<<static_cast<unsigned>(count), choice_threads, sizeof(ChoiceMemory), stream.get()>>>(search, choice,
                                                                                                      queries);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::ssca1

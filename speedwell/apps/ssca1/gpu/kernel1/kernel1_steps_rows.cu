// cuda-rows: a row in one launch. A block computes a tile of 2048 columns of equation 4.3 in registers, scans it by
// shuffles, publishes its total, reads what passes into it from the words of previous tiles (look_back()), and finishes
// with equation 4.5.
//
// The limit is memory: H of the row above and F are read, F and H are written, 16 bytes a cell, and one symbol. A gap
// reaches no further than the largest score, so that a tile waits for few others: with codons and 1024 rows for three.
#include <cuda/atomic>

#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_row_items.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::ssca1 {
namespace {

using TileWordReference = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

constexpr int row_warps = row_threads / 32;
static_assert(row_items == 8, "loads of eight symbols and of twice four numbers");

struct alignas(16) Four {
  std::int32_t v[4];
};
/// Eight consecutive numbers at a multiple of 32 bytes.
__device__ void load(std::int32_t (&to)[row_items], const std::int32_t* from) {
  const Four a = reinterpret_cast<const Four*>(from)[0], b = reinterpret_cast<const Four*>(from)[1];
#pragma unroll
  for (int k = 0; k < 4; ++k) to[k] = a.v[k], to[4 + k] = b.v[k];
}
__device__ void store(std::int32_t* to, const std::int32_t (&from)[row_items]) {
  Four a, b;
#pragma unroll
  for (int k = 0; k < 4; ++k) a.v[k] = from[k], b.v[k] = from[4 + k];
  reinterpret_cast<Four*>(to)[0] = a;
  reinterpret_cast<Four*>(to)[1] = b;
}

/// The words of the tiles, and the number of blocks that have started since they were cleared.
struct RowTiles {
  unsigned long long *words, *started;
  std::int64_t tiles;
};

/// T of the threads' columns before this thread in its warp, and in lane 31 T of all columns of the warp.
struct WarpScan {
  std::int32_t before, all;
};
__device__ WarpScan scan_warp(std::int32_t own, const DecayingMaximum& scan, int lane) {
  std::int32_t all = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::int32_t other = __shfl_up_sync(alignment::all_lanes, all, distance);
    // `all` covers `distance` lanes.
    if (lane >= distance) all = scan.combine(other, all, distance * row_items);
  }
  const std::int32_t before = __shfl_up_sync(alignment::all_lanes, all, 1);
  return {lane == 0 ? 0 : before, all};
}

__global__ void __launch_bounds__(row_threads)
    row_kernel(const __grid_constant__ StepTable table, const __grid_constant__ CandidateList list,
               const RowTiles tiles, std::int64_t row, const std::int32_t* h_above, std::int32_t* h, std::int32_t* f) {
  __shared__ std::int64_t tile_of_block;
  __shared__ std::int32_t totals[row_warps], before_tile;
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  // Tiles in the order in which blocks start: those that a block waits for are being computed.
  if (thread == 0) tile_of_block = static_cast<std::int64_t>(atomicAdd(tiles.started, 1ull)) - row * tiles.tiles;
  __syncthreads();
  const std::int64_t tile = tile_of_block, first = tile * row_tile + thread * row_items;
  const DecayingMaximum scan{table.extend};

  RowItems<row_items> items;
  load(items.above, h_above + first);
  load(items.gaps, f + first);
  items.corner = first > 0 ? h_above[first - 1] : 0;
  const uint2 symbols = *reinterpret_cast<const uint2*>(table.main + first);
  const std::int16_t* scores = table.scores + static_cast<int>(table.match[row]) * table.symbols;
  const std::int32_t own = items.from_above(table.open, table.extend, [&](int k) -> std::int32_t {
    return scores[(k < 4 ? symbols.x : symbols.y) >> (8 * (k % 4)) & 0xffu];
  });
  store(f + first, items.gaps);

  const WarpScan in_warp = scan_warp(own, scan, lane);
  if (lane == 31) totals[warp] = in_warp.all;
  __syncthreads();
  std::int32_t before_warp = 0, total = 0;  // T of the tile's warps before this one, and of the tile
#pragma unroll
  for (int w = 0; w < row_warps; ++w) {
    if (w == warp) before_warp = total;
    total = scan.combine(total, totals[w], 32 * row_items);
  }
  if (warp == 0) {
    const auto stamp = static_cast<std::uint32_t>(row);
    const auto publish = [&](TileWord::Content content, std::int32_t value) {
      if (lane == 0)
        TileWordReference(tiles.words[tile]).store(TileWord::pack(stamp, content, value), cuda::memory_order_relaxed);
    };
    if (tile > 0) publish(TileWord::Content::tile, total);
    alignment::DeviceWarp lanes{lane};
    const std::int32_t before = look_back(lanes, scan, tile, row_tile, table.highest, [&](std::int64_t other) {
      const TileWordReference word(tiles.words[other]);
      unsigned long long seen;
      while (!TileWord::has_stamp(seen = word.load(cuda::memory_order_relaxed), stamp)) __nanosleep(20);
      return seen;
    });
    publish(TileWord::Content::prefix, scan.combine(before, total, row_tile));
    if (lane == 0) before_tile = before;
  }
  __syncthreads();

  const std::int32_t before = before_thread(scan, before_tile, before_warp, in_warp.before, thread, row_items);
  const std::int32_t best = items.along(before, table.open, table.extend);
  store(h + first, items.cells);
  if (best < list.threshold) return;
#pragma unroll
  for (int k = 0; k < row_items; ++k)
    if (first + k < table.columns) table.test(list, row, first + k, items.cells[k], items.diagonal(k));
}

}  // namespace

std::int64_t enqueue_rows(const StepLaunch& launch, const core::Stream& stream) {
  const std::int64_t padded = padded_columns(launch.table.columns);
  std::int32_t* const h[2] = {launch.cells, launch.cells + padded};
  std::int32_t* const f = launch.cells + 2 * padded;
  const RowTiles tiles{launch.tile_words, launch.tile_words + padded / row_tile, padded / row_tile};
  core::check(cudaMemsetAsync(launch.cells, 0, launch.cell_bytes, stream.get()));
  core::check(cudaMemsetAsync(launch.tile_words, 0, launch.tile_word_bytes, stream.get()));
  for (std::int64_t row = 0; row < launch.table.rows; ++row) {
    row_kernel<<<static_cast<unsigned>(tiles.tiles), row_threads, 0, stream.get()>>>(
        launch.table, launch.list, tiles, row, h[(row + 1) % 2], h[row % 2], f);
    core::check(cudaGetLastError());
  }
  return launch.table.rows;
}

}  // namespace speedwell::ssca1

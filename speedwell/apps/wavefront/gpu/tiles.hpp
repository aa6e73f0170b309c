// The tiled sweep (tile_plan.hpp, tile.hpp): resident tiles send their faces to each other, without the end of a kernel
// or a grid-wide barrier between hyperplanes, and a tile follows its predecessors as closely as their values arrive.
//
// It is bound by the dependence chains of tiles along x and y, whose steps each consist of a few dependent cells, a
// barrier and a transfer through shared memory. The lower bound is the memory traffic of Listing 1, two words per cell.
//
// make_tiles() and make_linked_tiles() of method.hpp for one precision: two files include this, so that they compile in
// parallel. For CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/cell.hpp"
#include "speedwell/apps/wavefront/gpu/method.hpp"
#include "speedwell/apps/wavefront/gpu/tile.hpp"

namespace speedwell::wavefront {
namespace {

using detail::Rows;

template <class T, class C, int V, Rows rows, bool Linked>
__global__ void __launch_bounds__((max_tile_planes / warp_planes(C::has_loops) + detail::loader_warps) * 32, 1)
    tile_kernel(const __grid_constant__ TileSweep<T> sweep, C cell) {
  extern __shared__ __align__(256) char memory[];
  __shared__ std::uint32_t number;
  for (;;) {
    if (threadIdx.x == 0) number = atomicAdd(sweep.ticket, 1u);
    __syncthreads();
    if (number >= sweep.plan.tiles()) return;
    sweep_tile<T, C, V, rows, Linked>(sweep, cell, memory, number);
    __syncthreads();
  }
}

/// Writes the inflow planes along x (`West`) or y as the faces before the first tiles. One thread per vector of each
/// row.
template <bool West, class T>
__device__ void write_inflow_faces(const TileSweep<T>& sweep, std::int64_t thread, std::int64_t threads) {
  const DeviceGrid<T>& g = sweep.grid;
  const TilePlan& plan = sweep.plan;
  const std::int64_t rows = West ? g.ny : g.nx;
  const int rows_per_tile = West ? tile_rows : plan.planes;
  for (std::int64_t n = thread; n < rows * plan.vectors; n += threads) {
    const std::int64_t row = n / plan.vectors, c = n % plan.vectors;
    const std::int64_t tile = row / rows_per_tile, lane = row % rows_per_tile,
                       lag = West ? lane : lane / plan.warp_planes;
    T* const face = (West ? sweep.west + tile * plan.west_vectors() * plan.cells
                          : sweep.north + tile * plan.in_y * plan.north_vectors() * plan.cells) +
                    ((c + lag) * rows_per_tile + lane) * plan.cells;
    for (int v = 0; v < plan.cells; ++v) {
      const std::int64_t k = c * plan.cells + v;
      const T value = k >= g.nz ? T(0) : West ? g.west[row * g.west_y + k * g.z] : g.north[row * g.north_x + k * g.z];
      face[v] = detail::replace_empty_input(value);
    }
  }
}
/// Executed before each sweep.
template <class T>
__global__ void begin_kernel(const __grid_constant__ TileSweep<T> sweep) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  if (thread == 0) *sweep.ticket = 0;
  if (sweep.is_first) write_inflow_faces<true>(sweep, thread, threads);
  write_inflow_faces<false>(sweep, thread, threads);
}

template <class T>
class Tiles final : public Method<T> {
 public:
  /// Tiles of one GPU, which hold the whole grid.
  Tiles(const TilePlan& plan, std::int64_t nz, const Recurrence<T>& recurrence, const TileOptions& options)
      : recurrence_(recurrence), options_(options), order_(tiles_in_order(plan)) {
    sweep_.plan = plan;
    whole_ = nz % (unit_bytes / static_cast<int>(sizeof(T))) == 0;
    sweep_.timeout_ns = static_cast<std::uint64_t>(options.timeout * 1e9);
    sweep_.withheld_tile = options.withheld_tile;
    sweep_.group = plan.in_x;
    sweep_.last = plan.in_x - 1;
  }
  /// Tiles of one GPU of several.
  Tiles(const TilePlan& whole, std::int64_t nz, const Recurrence<T>& recurrence, const TileOptions& options,
        const TileLinks<T>& links)
      : Tiles(links.plan, nz, recurrence, options) {
    const TileGroups& groups = links.groups;
    order_ = tiles_in_order(whole, groups, links.gpu);
    sweep_.group = groups.length;
    sweep_.last = groups.gpu_of(groups.in_x - 1) == links.gpu ? groups.local(groups.in_x - 1) : -1;
    sweep_.is_first = links.gpu == 0;
    sweep_.west = links.west;
    sweep_.next_west = links.next_west;
    // The group after the last GPU's is the next one of the first GPU; the others' have the same number there.
    sweep_.next_index = links.gpu + 1 < groups.gpus ? 1 - groups.length : 1;
    sweep_.waited = links.gpu > 0 ? links.waited : nullptr;
  }

  void allocate(const DeviceGrid<T>& grid) override {
    sweep_.grid = grid;
    const std::vector<TileIndex>& order = order_;
    const auto cells = static_cast<std::size_t>(sweep_.plan.tiles()) * static_cast<std::size_t>(sweep_.plan.cells);
    device_order_ = core::DeviceBuffer<TileIndex>(order.size());
    control_ = core::DeviceBuffer<TileControl>(1);
    ticket_ = core::DeviceBuffer<std::uint32_t>(1);
    sweep_.ticket = ticket_.data();
    if (!sweep_.west) {
      west_ = core::DeviceBuffer<T>(west_cells(sweep_.plan));
      sweep_.west = west_.data();
    }
    north_ = core::DeviceBuffer<T>(cells * static_cast<std::size_t>(sweep_.plan.north_vectors()));
    sweep_.order = device_order_.data();
    sweep_.control = control_.data();
    sweep_.north = north_.data();
    const core::Stream stream;
    core::copy_async(device_order_.data(), order.data(), order.size(), stream);
    clear(stream);
    stream.synchronize();
    with_kernel([&](auto kernel, int bytes, auto) {
      core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    });
    // One block per multiprocessor: a second one slows both down, even while it waits.
    int device = 0;
    core::check(cudaGetDevice(&device));
    core::check(cudaDeviceGetAttribute(&blocks_, cudaDevAttrMultiProcessorCount, device));
    if (options_.blocks > 0) blocks_ = options_.blocks;
    blocks_ = static_cast<int>(std::min<std::int64_t>(blocks_, sweep_.plan.tiles()));
  }

  void enqueue(const core::Stream& stream) override {
    begin_kernel<<<begin_blocks, begin_threads, 0, stream.get()>>>(sweep_);
    core::check(cudaGetLastError());
    with_kernel([&](auto kernel, int bytes, auto cell) {
      kernel<<<static_cast<unsigned>(blocks_), threads(), static_cast<std::size_t>(bytes), stream.get()>>>(sweep_,
                                                                                                           cell);
      core::check(cudaGetLastError());
    });
  }

  void check_finished(const core::Stream& stream) override {
    TileControl control{};
    core::copy_async(&control, static_cast<const TileControl*>(control_.data()), 1, stream);
    stream.synchronize();
    if (control.stalled == 0) return;
    clear(stream);
    stream.synchronize();
    throw core::DeviceError(
        "wavefront: tile " + std::to_string(control.stalled - 1) + " of " + std::to_string(sweep_.plan.tiles()) +
        " waited for its neighbours, and no tile made progress for " + std::to_string(options_.timeout) + " s");
  }

  std::vector<std::pair<std::string, std::string>> choices() const override {
    return {{"tile", std::to_string(sweep_.plan.planes) + " x " + std::to_string(tile_rows) + " rows"},
            {"cells at a time", std::to_string(sweep_.plan.cells)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  static constexpr unsigned begin_blocks = 264, begin_threads = 256;

  int threads() const { return (sweep_.plan.warps() + detail::loader_warps) * 32; }
  void clear(const core::Stream& stream) {
    static_assert(detail::empty_bits == 0xffffffffu);
    core::check(cudaMemsetAsync(sweep_.west, 0xff, sizeof(T) * west_cells(sweep_.plan), stream.get()));
    core::fill_bytes_async(north_, 0xff, stream);
    core::fill_bytes_async(control_, 0, stream);
  }

  /// Calls f(kernel, bytes of shared memory, cell update).
  template <class F>
  void with_kernel(const F& f) {
    switch (remainder_of(recurrence_)) {
      case Remainder::library:
        return with_loops<Remainder::library>(f);
      case Remainder::subtraction:
        return recurrence_.loops > 0 ? with_loops<Remainder::subtraction>(f) : with_sum<Remainder::subtraction>(f);
      case Remainder::floor:
        return recurrence_.loops > 0 ? with_loops<Remainder::floor>(f) : with_sum<Remainder::floor>(f);
    }
  }
  template <Remainder remainder, class F>
  void with_sum(const F& f) {
    with_cell(Cell<T, false, Rounding::separate, remainder>{recurrence_}, f);
  }
  template <Remainder remainder, class F>
  void with_loops(const F& f) {
    recurrence_.rounding == Rounding::fused ? with_cell(Cell<T, true, Rounding::fused, remainder>{recurrence_}, f)
                                            : with_cell(Cell<T, true, Rounding::separate, remainder>{recurrence_}, f);
  }
  template <class C, class F>
  void with_cell(const C& cell, const F& f) {
    if constexpr (sizeof(T) == 4)
      if (sweep_.plan.cells == 4) return with_vector<4>(cell, f);
    sweep_.plan.cells == 2 ? with_vector<2>(cell, f) : with_vector<1>(cell, f);
  }
  template <int V, class C, class F>
  void with_vector(const C& cell, const F& f) {
    sweep_.next_west ? with_links<V, true>(cell, f) : with_links<V, false>(cell, f);
  }
  template <int V, bool Linked, class C, class F>
  void with_links(const C& cell, const F& f) {
    const int planes = sweep_.plan.planes;
    const int bytes = detail::TileContext<T, V, warp_planes(C::has_loops), Rows::cells>::bytes(
        planes);  // the same for the other layouts
    if (!whole_) return f(tile_kernel<T, C, V, Rows::cells, Linked>, bytes, cell);
    sweep_.grid.z > 0 ? f(tile_kernel<T, C, V, Rows::forwards, Linked>, bytes, cell)
                      : f(tile_kernel<T, C, V, Rows::backwards, Linked>, bytes, cell);
  }

  Recurrence<T> recurrence_;
  TileOptions options_;
  TileSweep<T> sweep_;
  bool whole_ = false;
  int blocks_ = 0;
  std::vector<TileIndex> order_;
  core::DeviceBuffer<TileIndex> device_order_;
  core::DeviceBuffer<TileControl> control_;
  core::DeviceBuffer<std::uint32_t> ticket_;
  core::DeviceBuffer<T> west_, north_;
};

}  // namespace

template <class T>
std::unique_ptr<Method<T>> make_tiles(const Extents& extents, const Recurrence<T>& recurrence,
                                      const TileOptions& options) {
  return std::make_unique<Tiles<T>>(plan_tiles(extents, sizeof(T), recurrence.loops > 0, options), extents.nz,
                                    recurrence, options);
}
template <class T>
std::unique_ptr<Method<T>> make_linked_tiles(const TilePlan& whole, std::int64_t nz, const Recurrence<T>& recurrence,
                                             const TileOptions& options, const TileLinks<T>& links) {
  return std::make_unique<Tiles<T>>(whole, nz, recurrence, options, links);
}

}  // namespace speedwell::wavefront

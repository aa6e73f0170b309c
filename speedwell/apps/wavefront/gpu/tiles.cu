// The sweep by tiles that stay resident and hand on their faces to each other (tile_plan.hpp, tile.hpp): no kernel ends
// and no grid waits between hyperplanes, and a tile follows the one before it as closely as its values arrive.
//
// What bounds it: the chains of tiles along x and y, a step of each being a few dependent cells, a barrier and a way
// through shared memory; the least would be two words to and from memory for a cell of Listing 1.
#include "speedwell/apps/wavefront/cell.hpp"
#include "speedwell/apps/wavefront/gpu/method.hpp"
#include "speedwell/apps/wavefront/gpu/tile.hpp"

namespace speedwell::wavefront {
namespace {

using detail::Rows;

template <class T, class C, int V, Rows rows>
__global__ void __launch_bounds__((most_tile_planes / warp_planes(C::has_loops) + detail::bringing_warps) * 32, 1)
    tile_kernel(const __grid_constant__ TileSweep<T> sweep, C cell) {
  extern __shared__ __align__(256) char memory[];
  __shared__ std::uint32_t number;
  for (;;) {
    if (threadIdx.x == 0) number = atomicAdd(sweep.ticket, 1u);
    __syncthreads();
    if (number >= sweep.plan.tiles()) return;
    sweep_tile<T, C, V, rows>(sweep, cell, memory, number);
    __syncthreads();
  }
}

/// The planes of inflow along x (`West`) or y as faces before the first tiles. A thread for each chunk of each row.
template <bool West, class T>
__device__ void bring_inflow(const TileSweep<T>& sweep, std::int64_t thread, std::int64_t threads) {
  const DeviceGrid<T>& g = sweep.grid;
  const TilePlan& plan = sweep.plan;
  const std::int64_t rows = West ? g.ny : g.nx;
  const int side_by_side = West ? tile_rows : plan.planes;
  for (std::int64_t n = thread; n < rows * plan.chunks; n += threads) {
    const std::int64_t row = n / plan.chunks, c = n % plan.chunks;
    const std::int64_t tile = row / side_by_side, lane = row % side_by_side,
                       behind = West ? lane : lane / plan.warp_planes;
    T* const face = (West ? sweep.west + tile * plan.west_chunks() * plan.cells
                          : sweep.north + tile * plan.in_y * plan.north_chunks() * plan.cells) +
                    ((c + behind) * side_by_side + lane) * plan.cells;
    for (int v = 0; v < plan.cells; ++v) {
      const std::int64_t k = c * plan.cells + v;
      const T value = k >= g.nz ? T(0) : West ? g.west[row * g.west_y + k * g.z] : g.north[row * g.north_x + k * g.z];
      face[v] = detail::is_nothing(value) ? value + T(1) : value;  // that NaN becomes another
    }
  }
}
/// Before each sweep.
template <class T>
__global__ void begin_kernel(const __grid_constant__ TileSweep<T> sweep) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  if (thread == 0) *sweep.ticket = 0;
  bring_inflow<true>(sweep, thread, threads);
  bring_inflow<false>(sweep, thread, threads);
}

template <class T>
class Tiles final : public Method<T> {
 public:
  Tiles(const Extents& extents, const Recurrence<T>& recurrence, const TileOptions& options)
      : recurrence_(recurrence), options_(options) {
    sweep_.plan = plan_tiles(extents, sizeof(T), recurrence.loops > 0, options);
    whole_ = extents.nz % (unit_bytes / static_cast<int>(sizeof(T))) == 0;
    sweep_.patience_ns = static_cast<std::uint64_t>(options.patience * 1e9);
    sweep_.withheld = options.withheld;
  }

  void allocate(const DeviceGrid<T>& grid) override {
    sweep_.grid = grid;
    const std::vector<TilePlace> order = tiles_in_order(sweep_.plan);
    const auto cells = static_cast<std::size_t>(sweep_.plan.tiles()) * static_cast<std::size_t>(sweep_.plan.cells);
    order_ = core::DeviceBuffer<TilePlace>(order.size());
    control_ = core::DeviceBuffer<TileControl>(1);
    ticket_ = core::DeviceBuffer<std::uint32_t>(1);
    sweep_.ticket = ticket_.data();
    west_ = core::DeviceBuffer<T>(cells * static_cast<std::size_t>(sweep_.plan.west_chunks()));
    north_ = core::DeviceBuffer<T>(cells * static_cast<std::size_t>(sweep_.plan.north_chunks()));
    sweep_.order = order_.data();
    sweep_.control = control_.data();
    sweep_.west = west_.data();
    sweep_.north = north_.data();
    const core::Stream stream;
    core::copy_async(order_.data(), order.data(), order.size(), stream);
    clear(stream);
    stream.synchronize();
    with_kernel([&](auto kernel, int bytes, auto) {
      core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    });
    // One on each: a second one makes both slow, also while it waits.
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
        " waited for its neighbours while nothing moved for " + std::to_string(options_.patience) + " s");
  }

  std::vector<std::pair<std::string, std::string>> choices() const override {
    return {{"tile", std::to_string(sweep_.plan.planes) + " x " + std::to_string(tile_rows) + " rows"},
            {"cells at a time", std::to_string(sweep_.plan.cells)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  static constexpr unsigned begin_blocks = 264, begin_threads = 256;

  int threads() const { return (sweep_.plan.warps() + detail::bringing_warps) * 32; }
  void clear(const core::Stream& stream) {
    static_assert(detail::nothing == 0xffffffffu);
    core::fill_bytes_async(west_, 0xff, stream);
    core::fill_bytes_async(north_, 0xff, stream);
    core::fill_bytes_async(control_, 0, stream);
  }

  /// Calls f(kernel, its shared memory, its cell).
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
      if (sweep_.plan.cells == 4) return with_chunk<4>(cell, f);
    sweep_.plan.cells == 2 ? with_chunk<2>(cell, f) : with_chunk<1>(cell, f);
  }
  template <int V, class C, class F>
  void with_chunk(const C& cell, const F& f) {
    const int planes = sweep_.plan.planes;
    const int bytes =
        detail::TileAt<T, V, warp_planes(C::has_loops), Rows::cells>::bytes(planes);  // and so for the others
    if (!whole_) return f(tile_kernel<T, C, V, Rows::cells>, bytes, cell);
    sweep_.grid.z > 0 ? f(tile_kernel<T, C, V, Rows::forwards>, bytes, cell)
                      : f(tile_kernel<T, C, V, Rows::backwards>, bytes, cell);
  }

  Recurrence<T> recurrence_;
  TileOptions options_;
  TileSweep<T> sweep_;
  bool whole_ = false;
  int blocks_ = 0;
  core::DeviceBuffer<TilePlace> order_;
  core::DeviceBuffer<TileControl> control_;
  core::DeviceBuffer<std::uint32_t> ticket_;
  core::DeviceBuffer<T> west_, north_;
};

}  // namespace

template <class T>
std::unique_ptr<Method<T>> make_tiles(const Extents& extents, const Recurrence<T>& recurrence,
                                      const TileOptions& options) {
  return std::make_unique<Tiles<T>>(extents, recurrence, options);
}

template std::unique_ptr<Method<float>> make_tiles(const Extents&, const Recurrence<float>&, const TileOptions&);
template std::unique_ptr<Method<double>> make_tiles(const Extents&, const Recurrence<double>&, const TileOptions&);

}  // namespace speedwell::wavefront

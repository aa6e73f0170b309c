// The last two steps of the paper, and the variants that build on them: each block of n^3 cells is stored in the order
// of its hyperplanes, so that the cells of a step are contiguous. Separate kernels convert the grid to this order and
// back; they are part of the time of a sweep. The last values of a block along x and y are stored in separate buffers,
// as messages to other processes would be.
#include <cooperative_groups.h>

#include <optional>

#include "speedwell/apps/wavefront/cell.hpp"
#include "speedwell/apps/wavefront/gpu/block_diagonals.hpp"
#include "speedwell/apps/wavefront/gpu/method.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"

namespace speedwell::wavefront {
namespace {

/// Index of cells in hyperplane order: cell (i,j) of step s = i + j + k has index start[s][i] + j.
template <int n>
struct HyperplaneOrder {
  int start[3 * n - 2][n] = {};
  constexpr HyperplaneOrder() {
    int at = 0;
    for (int s = 0; s < 3 * n - 2; ++s)
      for (int i = 0; i < n; ++i) {
        const int first = s - i - (n - 1) > 0 ? s - i - (n - 1) : 0, last = s - i < n - 1 ? s - i : n - 1;
        if (first > last) continue;
        start[s][i] = at - first;
        at += last - first + 1;
      }
  }
};
__constant__ constexpr HyperplaneOrder<8> order_of_8;
__constant__ constexpr HyperplaneOrder<16> order_of_16;
__constant__ constexpr HyperplaneOrder<32> order_of_32;

template <int n>
__device__ int position(int step, int i, int j) {
  if constexpr (n == 8) return order_of_8.start[step][i] + j;
  if constexpr (n == 16) return order_of_16.start[step][i] + j;
  if constexpr (n == 32) return order_of_32.start[step][i] + j;
}

template <class T>
struct PackedGrid {
  T* cells = nullptr;  // n^3 per block
  T* east = nullptr;   // n^2 per block: value (j,k) of its last plane along x
  T* south = nullptr;  // n^2 per block: value (i,k) of its last row along y
  BlockCounts counts;

  __device__ std::int64_t index(const Block& b) const { return (std::int64_t{b.i} * counts.y + b.j) * counts.z + b.k; }
};

constexpr int copy_threads = 256;

/// Converts the grid to hyperplane order, or back if `ToGrid`. Consecutive threads process consecutive cells of the
/// grid.
template <class T, int n, bool ToGrid>
__global__ void __launch_bounds__(copy_threads) reorder_kernel(DeviceGrid<T> grid, PackedGrid<T> packed) {
  const auto number = static_cast<std::int64_t>(blockIdx.x);
  const std::int64_t column = number / packed.counts.z;
  const std::int64_t first_i = column / packed.counts.y * n, first_j = column % packed.counts.y * n,
                     first_k = number % packed.counts.z * n;
  T* const cells = packed.cells + number * n * n * n;
  for (int cell = static_cast<int>(threadIdx.x); cell < n * n * n; cell += copy_threads) {
    const int x = cell / (n * n), y = cell / n % n, z = cell % n;
    if (first_i + x >= grid.nx || first_j + y >= grid.ny || first_k + z >= grid.nz) continue;
    T& u = grid(first_i + x, first_j + y, first_k + z);
    T& at = cells[position<n>(x + y + z, x, y)];
    if constexpr (ToGrid)
      u = at;
    else
      at = u;
  }
}

/// Neighbours within a block are read from the block in global memory.
template <class T, int n>
struct NeighboursInGlobalMemory {
  const T* cells;
  __device__ NeighboursInGlobalMemory(const T* block, T*) : cells(block) {}
  __device__ T top(int step, int x, int y, T) const { return cells[position<n>(step - 1, x, y)]; }
  __device__ T north(int step, int x, int y) const { return cells[position<n>(step - 1, x, y - 1)]; }
  __device__ T west(int step, int x, int y) const { return cells[position<n>(step - 1, x - 1, y)]; }
  __device__ void store_for_neighbours(int, int, int, T) const {}
  static constexpr int slots = 0;
};
/// Neighbours within a block are exchanged through slots in shared memory that are reused in every step. Two sets of
/// slots alternate, so that one barrier per step suffices.
template <class T, int n>
struct NeighboursInSharedMemory {
  T* slots_of_values;
  __device__ NeighboursInSharedMemory(const T*, T* slots_in_shared) : slots_of_values(slots_in_shared) {}
  __device__ T* slot(int step, int axis, int x, int y) const {
    return slots_of_values + (((step & 1) * 2 + axis) * n + x) * n + y;
  }
  __device__ T top(int, int, int, T own) const { return own; }
  __device__ T north(int step, int x, int y) const { return *slot(step, 0, x, y); }
  __device__ T west(int step, int x, int y) const { return *slot(step, 1, x, y); }
  __device__ void store_for_neighbours(int step, int x, int y, T value) const {
    if (y + 1 < n) *slot(step + 1, 0, x, y + 1) = value;
    if (x + 1 < n) *slot(step + 1, 1, x + 1, y) = value;
  }
  static constexpr int slots = 4 * n * n;
};

template <class T, int n, class C, class Neighbours>
__device__ void sweep_block(const DeviceGrid<T>& grid, const PackedGrid<T>& packed, const C& cell, const Block& b,
                            T* slots) {
  const int x = static_cast<int>(threadIdx.x) / n, y = static_cast<int>(threadIdx.x) % n;
  const std::int64_t i = std::int64_t{b.i} * n + x, j = std::int64_t{b.j} * n + y;
  const std::int64_t here = packed.index(b);
  T* const cells = packed.cells + here * n * n * n;
  const Neighbours neighbours(cells, slots);
  const T* const above = packed.cells + (here - 1) * n * n * n;  // the preceding block along z
  const T* const north = packed.south + packed.index({b.i, b.j - 1, b.k}) * n * n + x * n;
  const T* const west = packed.east + packed.index({b.i - 1, b.j, b.k}) * n * n + y * n;
  const bool in_grid = i < grid.nx && j < grid.ny;
  T own = 0;
  for (int step = 0; step <= 3 * (n - 1); ++step) {
    const int z = step - x - y;
    const std::int64_t k = std::int64_t{b.k} * n + z;
    if (in_grid && z >= 0 && z < n && k < grid.nz) {
      T& u = cells[position<n>(step, x, y)];
      const T t = z > 0   ? neighbours.top(step, x, y, own)
                  : k > 0 ? above[position<n>(x + y + n - 1, x, y)]
                          : grid.top[i * grid.top_x + j * grid.top_y];
      const T v = y > 0 ? neighbours.north(step, x, y) : j > 0 ? north[z] : grid.north[i * grid.north_x + k * grid.z];
      const T w = x > 0 ? neighbours.west(step, x, y) : i > 0 ? west[z] : grid.west[j * grid.west_y + k * grid.z];
      u = own = cell(u, t, v, w);
      neighbours.store_for_neighbours(step, x, y, own);
      if (y == n - 1) packed.south[here * n * n + x * n + z] = own;
      if (x == n - 1) packed.east[here * n * n + y * n + z] = own;
    }
    __syncthreads();
  }
}

template <class T, int n, class C, template <class, int> class Neighbours>
__global__ void __launch_bounds__(n* n)
    diagonal_kernel(DeviceGrid<T> grid, PackedGrid<T> packed, C cell, Diagonal diagonal) {
  __shared__ T slots[Neighbours<T, n>::slots + 1];
  const Block b = diagonal.block(blockIdx.x);
  if (diagonal.contains(b)) sweep_block<T, n, C, Neighbours<T, n>>(grid, packed, cell, b, slots);
}

template <class T, int n, class C>
__global__ void __launch_bounds__(n* n) cooperative_kernel(DeviceGrid<T> grid, PackedGrid<T> packed, C cell) {
  __shared__ T slots[NeighboursInSharedMemory<T, n>::slots];
  const BlockCounts counts = packed.counts;
  const std::int32_t diagonals = counts.x + counts.y + counts.z - 2;
  for (std::int32_t d = 0; d < diagonals; ++d) {
    const Diagonal diagonal(counts, d);
    for (std::int64_t candidate = blockIdx.x; candidate < diagonal.num_candidates(); candidate += gridDim.x) {
      const Block b = diagonal.block(candidate);
      if (diagonal.contains(b)) sweep_block<T, n, C, NeighboursInSharedMemory<T, n>>(grid, packed, cell, b, slots);
    }
    cooperative_groups::this_grid().sync();
  }
}

template <class T, int n>
class PackedBlocks final : public Method<T> {
  using Exact = AnyCell<T, Remainder::library>;
  using Fast = AnyCell<T, Remainder::subtraction>;

 public:
  PackedBlocks(const Extents& extents, const Recurrence<T>& recurrence, PackedKernel kind)
      : recurrence_(recurrence), kind_(kind), fast_(stays_in_range(recurrence)) {
    packed_.counts = BlockCounts(extents, n);
  }

  void allocate(const DeviceGrid<T>& grid) override {
    grid_ = grid;
    const auto blocks = static_cast<std::size_t>(packed_.counts.blocks());
    cells_ = core::DeviceBuffer<T>(blocks * n * n * n);
    east_ = core::DeviceBuffer<T>(blocks * n * n);
    south_ = core::DeviceBuffer<T>(blocks * n * n);
    packed_.cells = cells_.data();
    packed_.east = east_.data();
    packed_.south = south_.data();
    if (kind_ == PackedKernel::graph) {
      const core::Stream stream;
      graph_.emplace(stream, [&] { enqueue_kernels(stream); });
    }
    if (kind_ == PackedKernel::cooperative)
      resident_ = fast_ ? resident(cooperative_kernel<T, n, Fast>) : resident(cooperative_kernel<T, n, Exact>);
  }

  void enqueue(const core::Stream& stream) override {
    if (graph_)
      graph_->launch(stream);
    else
      enqueue_kernels(stream);
  }

  std::vector<std::pair<std::string, std::string>> choices() const override { return {{"block", std::to_string(n)}}; }

 private:
  void enqueue_kernels(const core::Stream& stream) {
    const auto blocks = static_cast<unsigned>(packed_.counts.blocks());
    reorder_kernel<T, n, false><<<blocks, copy_threads, 0, stream.get()>>>(grid_, packed_);
    core::check(cudaGetLastError());
    if (kind_ == PackedKernel::plain)
      diagonals(diagonal_kernel<T, n, Exact, NeighboursInGlobalMemory>, Exact{recurrence_}, stream);
    else if (kind_ == PackedKernel::shared || !fast_)
      kind_ == PackedKernel::cooperative
          ? cooperative(cooperative_kernel<T, n, Exact>, Exact{recurrence_}, stream)
          : diagonals(diagonal_kernel<T, n, Exact, NeighboursInSharedMemory>, Exact{recurrence_}, stream);
    else
      kind_ == PackedKernel::cooperative
          ? cooperative(cooperative_kernel<T, n, Fast>, Fast{recurrence_}, stream)
          : diagonals(diagonal_kernel<T, n, Fast, NeighboursInSharedMemory>, Fast{recurrence_}, stream);
    reorder_kernel<T, n, true><<<blocks, copy_threads, 0, stream.get()>>>(grid_, packed_);
    core::check(cudaGetLastError());
  }

  template <class Kernel, class C>
  void diagonals(Kernel kernel, const C& cell, const core::Stream& stream) {
    for (std::int32_t d = 0; d < packed_.counts.diagonals(); ++d) {
      const Diagonal diagonal(packed_.counts, d);
      kernel<<<static_cast<unsigned>(diagonal.num_candidates()), n * n, 0, stream.get()>>>(grid_, packed_, cell,
                                                                                           diagonal);
      core::check(cudaGetLastError());
    }
  }

  template <class Kernel, class C>
  void cooperative(Kernel kernel, C cell, const core::Stream& stream) {
    const Diagonal widest(packed_.counts, packed_.counts.diagonals() / 2);
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(resident_, widest.num_candidates()));
    void* arguments[] = {&grid_, &packed_, &cell};
    core::check(
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), blocks, n * n, arguments, 0, stream.get()));
  }
  template <class Kernel>
  static std::int64_t resident(Kernel kernel) {
    int device = 0, multiprocessors = 0, blocks = 0;
    core::check(cudaGetDevice(&device));
    core::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, n * n, 0));
    return std::int64_t{blocks} * multiprocessors;
  }

  Recurrence<T> recurrence_;
  PackedKernel kind_;
  bool fast_;
  DeviceGrid<T> grid_;
  PackedGrid<T> packed_;
  core::DeviceBuffer<T> cells_, east_, south_;
  std::optional<core::Graph> graph_;
  std::int64_t resident_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Method<T>> make_packed(const Extents& extents, const Recurrence<T>& recurrence, PackedKernel kind,
                                       int block) {
  switch (block) {
    case 8:
      return std::make_unique<PackedBlocks<T, 8>>(extents, recurrence, kind);
    case 16:
      return std::make_unique<PackedBlocks<T, 16>>(extents, recurrence, kind);
    default:
      return std::make_unique<PackedBlocks<T, 32>>(extents, recurrence, kind);
  }
}

template std::unique_ptr<Method<float>> make_packed(const Extents&, const Recurrence<float>&, PackedKernel, int);
template std::unique_ptr<Method<double>> make_packed(const Extents&, const Recurrence<double>&, PackedKernel, int);

}  // namespace speedwell::wavefront

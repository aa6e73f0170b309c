// The first two steps of the paper: a kernel for each diagonal of blocks, on the grid in its original layout.
#include "speedwell/apps/wavefront/cell.hpp"
#include "speedwell/apps/wavefront/gpu/block_diagonals.hpp"
#include "speedwell/apps/wavefront/gpu/method.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
using PaperCell = AnyCell<T, Remainder::library>;

template <class T, class C>
__device__ void update(const DeviceGrid<T>& grid, const C& cell, int i, int j, int k) {
  T& u = grid(i, j, k);
  u = cell(u, grid.top_of(i, j, k), grid.north_of(i, j, k), grid.west_of(i, j, k));
}

// One thread per cell of a block of 8 x 8 x 8 cells; each thread has work in one of 22 steps.
constexpr int naive_block = 8;
template <class T>
__global__ void __launch_bounds__(naive_block* naive_block* naive_block)
    naive_kernel(DeviceGrid<T> grid, PaperCell<T> cell, Diagonal diagonal) {
  const Block b = diagonal.block(blockIdx.x);
  if (!diagonal.contains(b)) return;
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), z = static_cast<int>(threadIdx.z);
  const int i = b.i * naive_block + z, j = b.j * naive_block + y, k = b.k * naive_block + x;
  const bool in_grid = i < grid.nx && j < grid.ny && k < grid.nz;
  for (int step = 0; step <= 3 * (naive_block - 1); ++step) {
    if (in_grid && x + y + z == step) update(grid, cell, i, j, k);
    __syncthreads();
  }
}

// One thread per row of a block; in step s the thread of row (i,j) is at k = s - i - j.
template <class T, int n>
__global__ void __launch_bounds__(n* n) recycled_kernel(DeviceGrid<T> grid, PaperCell<T> cell, Diagonal diagonal) {
  const Block b = diagonal.block(blockIdx.x);
  if (!diagonal.contains(b)) return;
  const auto x = static_cast<int>(threadIdx.x) / n, y = static_cast<int>(threadIdx.x) % n;
  const int i = b.i * n + x, j = b.j * n + y;
  const bool in_grid = i < grid.nx && j < grid.ny;
  for (int step = 0; step <= 3 * (n - 1); ++step) {
    const int z = step - x - y, k = b.k * n + z;
    if (in_grid && z >= 0 && z < n && k < grid.nz) update(grid, cell, i, j, k);
    __syncthreads();
  }
}

template <class T>
using DiagonalKernel = void (*)(DeviceGrid<T>, PaperCell<T>, Diagonal);

template <class T>
class Blocks final : public Method<T> {
 public:
  Blocks(const Extents& extents, const Recurrence<T>& recurrence, int block, dim3 threads, DiagonalKernel<T> kernel)
      : cell_{recurrence}, block_(block), threads_(threads), counts_(extents, block), kernel_(kernel) {}

  void allocate(const DeviceGrid<T>& grid) override { grid_ = grid; }
  void enqueue(const core::Stream& stream) override {
    for (std::int32_t d = 0; d < counts_.diagonals(); ++d) {
      const Diagonal diagonal(counts_, d);
      kernel_<<<static_cast<unsigned>(diagonal.num_candidates()), threads_, 0, stream.get()>>>(grid_, cell_, diagonal);
      core::check(cudaGetLastError());
    }
  }
  std::vector<std::pair<std::string, std::string>> choices() const override {
    return {{"block", std::to_string(block_)}};
  }

 private:
  PaperCell<T> cell_;
  int block_;
  dim3 threads_;
  BlockCounts counts_;
  DiagonalKernel<T> kernel_;
  DeviceGrid<T> grid_;
};

}  // namespace

template <class T>
std::unique_ptr<Method<T>> make_naive(const Extents& extents, const Recurrence<T>& recurrence) {
  return std::make_unique<Blocks<T>>(extents, recurrence, naive_block, dim3(naive_block, naive_block, naive_block),
                                     naive_kernel<T>);
}

template <class T>
std::unique_ptr<Method<T>> make_recycled(const Extents& extents, const Recurrence<T>& recurrence, int block) {
  const auto with = [&](DiagonalKernel<T> kernel) {
    return std::make_unique<Blocks<T>>(extents, recurrence, block, dim3(static_cast<unsigned>(block * block)), kernel);
  };
  switch (block) {
    case 8:
      return with(recycled_kernel<T, 8>);
    case 16:
      return with(recycled_kernel<T, 16>);
    default:
      return with(recycled_kernel<T, 32>);
  }
}

template std::unique_ptr<Method<float>> make_naive(const Extents&, const Recurrence<float>&);
template std::unique_ptr<Method<double>> make_naive(const Extents&, const Recurrence<double>&);
template std::unique_ptr<Method<float>> make_recycled(const Extents&, const Recurrence<float>&, int);
template std::unique_ptr<Method<double>> make_recycled(const Extents&, const Recurrence<double>&, int);

}  // namespace speedwell::wavefront

// Transposition through a tile in shared memory, so that both reads and writes are coalesced.
#include <algorithm>

#include "speedwell/apps/matvec/cuda.hpp"

namespace speedwell::matvec {
namespace {

constexpr int tile = 32, lines = 8;

template <class T>
__global__ void __launch_bounds__(tile* lines)
    transpose_kernel(const T* __restrict__ from, std::int64_t rows, std::int64_t columns, T* __restrict__ to,
                     std::int64_t to_leading) {
  __shared__ T part[tile][tile + 1];  // padded, so that a column of the tile is in different banks
  const std::int64_t across = (columns - 1) / tile + 1, tiles = across * ((rows - 1) / tile + 1);
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t i0 = t / across * tile, j0 = t % across * tile;
    for (int l = threadIdx.y; l < tile; l += lines)
      if (i0 + l < rows && j0 + threadIdx.x < columns)
        part[l][threadIdx.x] = from[(i0 + l) * columns + j0 + threadIdx.x];
    __syncthreads();
    for (int l = threadIdx.y; l < tile; l += lines)
      if (j0 + l < columns && i0 + threadIdx.x < rows)
        to[(j0 + l) * to_leading + i0 + threadIdx.x] = part[threadIdx.x][l];
    __syncthreads();
  }
}

}  // namespace

template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, std::int64_t to_leading,
               const core::Stream& stream) {
  const std::int64_t tiles = ((columns - 1) / tile + 1) * ((rows - 1) / tile + 1);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 20));
  transpose_kernel<<<blocks, dim3(tile, lines), 0, stream.get()>>>(from, rows, columns, to, to_leading);
  core::check(cudaGetLastError());
}
template void transpose(const float*, std::int64_t, std::int64_t, float*, std::int64_t, const core::Stream&);
template void transpose(const double*, std::int64_t, std::int64_t, double*, std::int64_t, const core::Stream&);

}  // namespace speedwell::matvec

// The study's staged sum: along z by a thread per column of cells, the rest by the host.
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/stencil.hpp"

namespace speedwell::stencil {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    collapse(const T* __restrict__ v, T* __restrict__ of_columns, std::int64_t columns, std::int64_t nz) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (column >= columns) return;
  T sum = 0;
#pragma unroll 8
  for (std::int64_t k = 0; k < nz; ++k) {
    const T value = __ldcs(v + k * columns + column);
    sum += value * value;
  }
  of_columns[column] = sum;
}

}  // namespace

template <class T>
StagedSum<T>::StagedSum(const Grid& grid) : grid_(grid) {
  require_grid(grid, Form::constant, Boundary::zero);
  const auto columns = static_cast<std::size_t>(grid.nx * grid.ny);
  of_columns_ = core::DeviceBuffer<T>(columns);
  on_host_ = core::PinnedBuffer<T>(columns);
}

template <class T>
double StagedSum<T>::of_squares(const T* v, const core::Stream& stream) {
  const std::int64_t columns = grid_.nx * grid_.ny;
  collapse<<<static_cast<unsigned>(core::blocks_for(columns, threads)), threads, 0, stream.get()>>>(
      v, of_columns_.data(), columns, grid_.nz);
  core::check(cudaGetLastError());
  core::copy_async(on_host_.data(), of_columns_.data(), on_host_.size(), stream);
  stream.synchronize();
  return sum_of_plane<T>(grid_, {on_host_.data(), on_host_.size()});
}

template class StagedSum<float>;
template class StagedSum<double>;

}  // namespace speedwell::stencil

// Products of sparse matrices on a GPU. CSR: a thread or a warp per row, or blocks of rows with similar numbers of
// entries, whose products are reduced by row in shared memory ("CSR-stream": Greathouse, Daga, SC 2014). Sliced ELL: a
// thread per row, with coalesced entries.
#include <stdexcept>
#include <string>

#include "speedwell/numerics/sparse/gpu_sparse.hpp"

namespace speedwell::sparse {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    scalar_kernel(const DeviceCsrView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (row >= a.rows) return;
  T sum = 0;
  for (std::int64_t e = a.offsets[row]; e < a.offsets[row + 1]; ++e) sum += a.value[e] * __ldg(x + a.column[e]);
  y[row] = sum;
}

template <class T>
__global__ void __launch_bounds__(threads)
    vector_kernel(const DeviceCsrView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x) / 32;
  if (row >= a.rows) return;
  T sum = 0;
  for (std::int64_t e = a.offsets[row] + threadIdx.x % 32; e < a.offsets[row + 1]; e += 32)
    sum += a.value[e] * __ldg(x + a.column[e]);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

// Blocks of rows [first[b], first[b + 1]) with at most csr_block_entries entries, or one longer row.
template <class T>
__global__ void __launch_bounds__(threads)
    stream_kernel(const DeviceCsrView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  __shared__ T products[csr_block_entries];
  const std::int64_t first = a.block_rows[blockIdx.x], last = a.block_rows[blockIdx.x + 1];
  const std::int64_t begin = a.offsets[first], count = a.offsets[last] - begin;
  if (count > csr_block_entries) {  // one row
    T sum = 0;
    for (std::int64_t e = threadIdx.x; e < count; e += threads)
      sum += __ldcs(a.value + begin + e) * __ldg(x + __ldcs(a.column + begin + e));
    products[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (int half = threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) products[threadIdx.x] += products[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) y[first] = products[0];
    return;
  }
#pragma unroll
  for (int step = 0; step < csr_block_entries / threads; ++step) {
    const int e = step * threads + static_cast<int>(threadIdx.x);
    if (e < count) products[e] = __ldcs(a.value + begin + e) * __ldg(x + __ldcs(a.column + begin + e));
  }
  __syncthreads();
  for (std::int64_t row = first + threadIdx.x; row < last; row += threads) {
    const int from = static_cast<int>(a.offsets[row] - begin), to = static_cast<int>(a.offsets[row + 1] - begin);
    T sum = 0;
    for (int e = from; e < to; ++e) sum += products[e];
    y[row] = sum;
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    ell_kernel(const DeviceEllView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (row >= a.rows) return;
  const std::int64_t slice = row / 32, begin = a.offsets[slice] + row % 32, end = a.offsets[slice + 1];
  T sum = 0;
#pragma unroll 7
  for (std::int64_t e = begin; e < end; e += 32) sum += __ldcs(a.value + e) * __ldg(x + __ldcs(a.column + e));
  y[row] = sum;
}

unsigned blocks_for(std::int64_t size) { return static_cast<unsigned>(core::blocks_for(size, threads)); }

}  // namespace

std::vector<std::int64_t> blocks_of_rows(const std::vector<std::int64_t>& offsets, std::int64_t weight) {
  const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::int64_t max_entries = csr_block_entries / weight;
  std::vector<std::int64_t> first = {0};
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t begin = offsets[static_cast<std::size_t>(first.back())],
                       end = offsets[static_cast<std::size_t>(row) + 1];
    if (row > first.back() && (end - begin > max_entries || row - first.back() == max_entries)) first.push_back(row);
  }
  if (rows > 0) first.push_back(rows);
  return first;
}

template <class T>
void gpu_multiply(const DeviceCsr<T>& a, CsrMethod method, const T* x, T* y, const core::Stream& stream) {
  const DeviceCsrView<T> v = a.view();
  if (v.rows == 0) return;
  switch (method) {
    case CsrMethod::thread_per_row:
      scalar_kernel<<<blocks_for(v.rows), threads, 0, stream.get()>>>(v, x, y);
      break;
    case CsrMethod::warp_per_row:
      vector_kernel<<<blocks_for(v.rows * 32), threads, 0, stream.get()>>>(v, x, y);
      break;
    case CsrMethod::blocks:
      stream_kernel<<<static_cast<unsigned>(a.blocks()), threads, 0, stream.get()>>>(v, x, y);
      break;
  }
  core::check(cudaGetLastError());
}

template <class T>
void gpu_multiply(const DeviceEll<T>& a, const T* x, T* y, const core::Stream& stream) {
  const DeviceEllView<T> v = a.view();
  if (v.rows == 0) return;
  ell_kernel<<<blocks_for(v.rows), threads, 0, stream.get()>>>(v, x, y);
  core::check(cudaGetLastError());
}

template <class T>
DeviceCsr<T>::DeviceCsr(const Csr<T>& a, const core::Stream& stream)
    : rows_(a.rows), columns_(a.columns), offsets_(a.offsets.size()), column_(a.column.size()), value_(a.value.size()) {
  require_matrix(a);
  const std::vector<std::int64_t> block_rows = blocks_of_rows(a.offsets);
  blocks_ = static_cast<std::int64_t>(block_rows.size()) - 1;
  block_rows_ = core::DeviceBuffer<std::int64_t>(block_rows.size());
  core::copy_async(block_rows_.data(), block_rows.data(), block_rows.size(), stream);
  core::copy_async(offsets_.data(), a.offsets.data(), a.offsets.size(), stream);
  if (a.value.size() > 0) {
    core::copy_async(column_.data(), a.column.data(), a.column.size(), stream);
    core::copy_async(value_.data(), a.value.data(), a.value.size(), stream);
  }
  stream.synchronize();
}

template <class T>
DeviceEll<T>::DeviceEll(const SlicedEll<T>& a, const core::Stream& stream)
    : rows_(a.rows), columns_(a.columns), offsets_(a.offsets.size()), column_(a.column.size()), value_(a.value.size()) {
  core::copy_async(offsets_.data(), a.offsets.data(), a.offsets.size(), stream);
  if (a.value.size() > 0) {
    core::copy_async(column_.data(), a.column.data(), a.column.size(), stream);
    core::copy_async(value_.data(), a.value.data(), a.value.size(), stream);
  }
  stream.synchronize();
}

#define SPEEDWELL_GPU_SPARSE(T)                                                                  \
  template void gpu_multiply(const DeviceCsr<T>&, CsrMethod, const T*, T*, const core::Stream&); \
  template void gpu_multiply(const DeviceEll<T>&, const T*, T*, const core::Stream&);            \
  template class DeviceCsr<T>;                                                                   \
  template class DeviceEll<T>;
SPEEDWELL_GPU_SPARSE(float)
SPEEDWELL_GPU_SPARSE(double)
#undef SPEEDWELL_GPU_SPARSE

}  // namespace speedwell::sparse

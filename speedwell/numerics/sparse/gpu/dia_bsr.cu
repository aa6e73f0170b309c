// DIA: a thread per four rows of a block. BSR: groups of block rows with similar numbers of values, whose products are
// reduced by row in shared memory, as those of CSR in csr_ell.cu.
#include "speedwell/numerics/sparse/block_sides.hpp"
#include "speedwell/numerics/sparse/gpu_sparse.hpp"

namespace speedwell::sparse {
namespace {

constexpr int threads = 256;
constexpr int dia_rows = 4;  // rows per thread: one row would have too few loads in flight to saturate the memory

template <class T>
__global__ void __launch_bounds__(threads)
    dia_kernel(const DeviceDiaView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * threads * dia_rows + threadIdx.x;
  T sums[dia_rows] = {};
#pragma unroll 4
  for (int d = 0; d < a.diagonals; ++d) {
    const std::int64_t offset = __ldg(a.offset + d);
    const T* const values = a.value + d * a.rows;
#pragma unroll
    for (int r = 0; r < dia_rows; ++r) {
      const std::int64_t row = first + r * threads, column = row + offset;
      if (row < a.rows && column >= 0 && column < a.columns) sums[r] += __ldcs(values + row) * __ldg(x + column);
    }
  }
#pragma unroll
  for (int r = 0; r < dia_rows; ++r)
    if (first + r * threads < a.rows) y[first + r * threads] = sums[r];
}

template <int side, class T>
__global__ void __launch_bounds__(threads)
    bsr_kernel(const DeviceBsrView<T> a, const T* __restrict__ x, T* __restrict__ y) {
  constexpr int area = side * side, buffer_entries = csr_block_entries / area * area;
  constexpr int max_rows = (csr_block_entries / area * side + threads - 1) / threads;  // rows per thread
  __shared__ T products[buffer_entries];
  const std::int64_t first = a.first[blockIdx.x], last = a.first[blockIdx.x + 1];
  const std::int64_t begin = a.offsets[first] * area, end = a.offsets[last] * area;
  const int rows = static_cast<int>(last - first) * side;
  T sums[max_rows] = {};
  for (std::int64_t chunk = begin; chunk < end;
       chunk += buffer_entries) {  // a single pass, except for a block row longer than the buffer
    const int count = static_cast<int>(min(static_cast<std::int64_t>(buffer_entries), end - chunk));
    __syncthreads();
#pragma unroll 4
    for (int e = static_cast<int>(threadIdx.x); e < count; e += threads) {
      const std::int64_t column = std::int64_t{__ldg(a.column + (chunk + e) / area)} * side + e % side;
      products[e] = column < a.columns ? __ldcs(a.value + chunk + e) * __ldg(x + column) : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < max_rows; ++r) {
      const int row = r * threads + static_cast<int>(threadIdx.x);
      if (row >= rows) break;
      const std::int64_t from = a.offsets[first + row / side] * area - chunk,
                         to = a.offsets[first + row / side + 1] * area - chunk;
      const int stop = static_cast<int>(min(to, static_cast<std::int64_t>(count)));
      for (int e = static_cast<int>(max(from, std::int64_t{0})) + row % side * side; e < stop; e += area)
#pragma unroll
        for (int c = 0; c < side; ++c) sums[r] += products[e + c];
    }
  }
#pragma unroll
  for (int r = 0; r < max_rows; ++r) {
    const int row = r * threads + static_cast<int>(threadIdx.x);
    if (row < rows && first * side + row < a.rows) y[first * side + row] = sums[r];
  }
}

template <class Values>
auto uploaded(const Values& from, const core::Stream& stream) {
  core::DeviceBuffer<std::remove_cvref_t<decltype(from[0])>> buffer(from.size());
  if (from.size() > 0) core::copy_async(buffer.data(), from.data(), from.size(), stream);
  return buffer;
}

}  // namespace

template <class T>
void gpu_multiply(const DeviceDia<T>& a, const T* x, T* y, const core::Stream& stream) {
  const DeviceDiaView<T> v = a.view();
  if (v.rows == 0) return;
  dia_kernel<<<static_cast<unsigned>(core::blocks_for(v.rows, threads * dia_rows)), threads, 0, stream.get()>>>(v, x,
                                                                                                                y);
  core::check(cudaGetLastError());
}

template <class T>
void gpu_multiply(const DeviceBsr<T>& a, const T* x, T* y, const core::Stream& stream) {
  const DeviceBsrView<T> v = a.view();
  if (v.rows == 0) return;
  with_side(a.side(), [&]<int side>() {
    bsr_kernel<side><<<static_cast<unsigned>(a.blocks()), threads, 0, stream.get()>>>(v, x, y);
  });
  core::check(cudaGetLastError());
}

template <class T>
DeviceDia<T>::DeviceDia(const Dia<T>& a, const core::Stream& stream)
    : rows_(a.rows), columns_(a.columns), offset_(uploaded(a.offset, stream)), value_(uploaded(a.value, stream)) {
  stream.synchronize();
}

template <class T>
DeviceBsr<T>::DeviceBsr(const Bsr<T>& a, const core::Stream& stream)
    : side_(a.side),
      rows_(a.rows),
      columns_(a.columns),
      offsets_(uploaded(a.offsets, stream)),
      column_(uploaded(a.column, stream)),
      value_(uploaded(a.value, stream)) {
  const std::vector<std::int64_t> first = blocks_of_rows(a.offsets, std::int64_t{a.side} * a.side);
  first_ = uploaded(first, stream);
  stream.synchronize();
}

#define SPEEDWELL_GPU_FORMATS(T)                                                      \
  template void gpu_multiply(const DeviceDia<T>&, const T*, T*, const core::Stream&); \
  template void gpu_multiply(const DeviceBsr<T>&, const T*, T*, const core::Stream&); \
  template class DeviceDia<T>;                                                        \
  template class DeviceBsr<T>;
SPEEDWELL_GPU_FORMATS(float)
SPEEDWELL_GPU_FORMATS(double)
#undef SPEEDWELL_GPU_FORMATS

}  // namespace speedwell::sparse

// The variants that precede cuda.cu: one element per thread, a grid-stride loop, 16 bytes per thread. Their dot
// products take two kernels: every block stores a partial sum, then one block adds these.
#include <algorithm>

#include "speedwell/apps/stream/cuda.hpp"
#include "speedwell/apps/stream/device_kernels.hpp"

namespace speedwell::stream::ladder {
namespace {

using device::Pack;

constexpr int threads = 256;
constexpr unsigned grid_stride_blocks = 1024;  // blocks of the fixed grid: 262144 threads on every device
constexpr int final_threads = 1024;

// Elements beyond the end are 0, so that full blocks take part in a sum.
template <class T>
__device__ double product(const T* x, const T* y, std::int64_t i, std::int64_t n) {
  return i < n ? static_cast<double>(x[i]) * static_cast<double>(y[i]) : 0.0;
}
__device__ std::int64_t global_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void __launch_bounds__(final_threads)
    add_up_kernel(const double* partial_sums, unsigned count, double* result) {
  double sum = 0;
  for (unsigned b = threadIdx.x; b < count; b += final_threads) sum += partial_sums[b];
  sum = device::block_sum<final_threads>(sum);
  if (threadIdx.x == 0) *result = sum;
}
void reduce_partial_sums(DotWorkspace& dot, unsigned count, const core::Stream& stream) {
  core::check(cudaGetLastError());  // error of the preceding kernel
  add_up_kernel<<<1, final_threads, 0, stream.get()>>>(dot.partial_sums(), count, dot.sum());
}

template <Kernel kernel, class T>
__global__ void naive_kernel(T scalar, const T* x, const T* y, T* out, std::int64_t n) {
  const std::int64_t i = global_index();
  if (i < n) out[i] = device::apply<kernel>(scalar, x[i], device::reads_y<kernel> ? y[i] : T{});
}
// The textbook tree reduction in shared memory.
template <class T>
__global__ void naive_dot_kernel(const T* x, const T* y, std::int64_t n, double* partial_sums) {
  __shared__ double sums[threads];
  sums[threadIdx.x] = product(x, y, global_index(), n);
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sums[0];
}

template <Kernel kernel, class T>
__global__ void grid_stride_kernel(T scalar, const T* x, const T* y, T* out, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = global_index(); i < n; i += stride)
    out[i] = device::apply<kernel>(scalar, x[i], device::reads_y<kernel> ? y[i] : T{});
}
template <class T>
__global__ void grid_stride_dot_kernel(const T* x, const T* y, std::int64_t n, double* partial_sums) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double sum = 0;
  for (std::int64_t i = global_index(); i < n; i += stride) sum += product(x, y, i, n);
  sum = device::block_sum<threads>(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

// Threads beyond the last pack process the remaining elements.
template <Kernel kernel, class T>
__global__ void vector_kernel(T scalar, const T* x, const T* y, T* out, std::int64_t n) {
  const std::int64_t p = global_index(), packs = n / Pack<T>::width;
  if (p < packs) {
    const Pack<T> px = device::load<false>(x, p);
    const Pack<T> py = device::reads_y<kernel> ? device::load<false>(y, p) : px;
    device::store<false>(out, p, device::apply<kernel>(scalar, px, py));
  } else if (const std::int64_t i = packs * Pack<T>::width + (p - packs); i < n) {
    out[i] = device::apply<kernel>(scalar, x[i], device::reads_y<kernel> ? y[i] : T{});
  }
}
template <class T>
__global__ void vector_dot_kernel(const T* x, const T* y, std::int64_t n, double* partial_sums) {
  const std::int64_t p = global_index(), packs = n / Pack<T>::width;
  double sum = 0;
  if (p < packs)
    sum = device::dot(device::load<false>(x, p), device::load<false>(y, p), 0.0);
  else
    sum = product(x, y, packs * Pack<T>::width + (p - packs), n);
  sum = device::block_sum<threads>(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void naive(Kernel kernel, const Operands<T>& o, const core::Stream& stream) {
  const unsigned blocks = device::grid(std::max<std::int64_t>(core::blocks_for(o.n, threads), 1));
  if (kernel == Kernel::dot) {
    naive_dot_kernel<<<blocks, threads, 0, stream.get()>>>(o.x, o.y, o.n, o.dot->partial_sums());
    reduce_partial_sums(*o.dot, blocks, stream);
  } else {
    device::with_elementwise(kernel, [&]<Kernel k>() {
      naive_kernel<k><<<blocks, threads, 0, stream.get()>>>(o.scalar, o.x, o.y, o.out, o.n);
    });
  }
  core::check(cudaGetLastError());
}

template <class T>
void grid_stride(Kernel kernel, const Operands<T>& o, const core::Stream& stream) {
  if (kernel == Kernel::dot) {
    grid_stride_dot_kernel<<<grid_stride_blocks, threads, 0, stream.get()>>>(o.x, o.y, o.n, o.dot->partial_sums());
    reduce_partial_sums(*o.dot, grid_stride_blocks, stream);
  } else {
    device::with_elementwise(kernel, [&]<Kernel k>() {
      grid_stride_kernel<k><<<grid_stride_blocks, threads, 0, stream.get()>>>(o.scalar, o.x, o.y, o.out, o.n);
    });
  }
  core::check(cudaGetLastError());
}

template <class T>
void vector(Kernel kernel, const Operands<T>& o, const core::Stream& stream) {
  if (!device::aligned_for_packs(o)) return naive(kernel, o, stream);
  const std::int64_t items = o.n / Pack<T>::width + o.n % Pack<T>::width;
  const unsigned blocks = device::grid(std::max<std::int64_t>(core::blocks_for(items, threads), 1));
  if (kernel == Kernel::dot) {
    vector_dot_kernel<<<blocks, threads, 0, stream.get()>>>(o.x, o.y, o.n, o.dot->partial_sums());
    reduce_partial_sums(*o.dot, blocks, stream);
  } else {
    device::with_elementwise(kernel, [&]<Kernel k>() {
      vector_kernel<k><<<blocks, threads, 0, stream.get()>>>(o.scalar, o.x, o.y, o.out, o.n);
    });
  }
  core::check(cudaGetLastError());
}

template void naive(Kernel, const Operands<double>&, const core::Stream&);
template void naive(Kernel, const Operands<float>&, const core::Stream&);
template void grid_stride(Kernel, const Operands<double>&, const core::Stream&);
template void grid_stride(Kernel, const Operands<float>&, const core::Stream&);
template void vector(Kernel, const Operands<double>&, const core::Stream&);
template void vector(Kernel, const Operands<float>&, const core::Stream&);

}  // namespace speedwell::stream::ladder

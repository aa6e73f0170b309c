// The best STREAM kernels on a GPU, variant `cuda`. In the elementwise kernels every thread moves one pack of 16 bytes
// per array and ends: the hardware's block scheduler keeps more requests in flight than a loop does. dot is one kernel,
// in which the block that finishes last adds the partial sums of the others.
#include <algorithm>

#include "speedwell/apps/stream/cuda.hpp"
#include "speedwell/apps/stream/device_kernels.hpp"

namespace speedwell::stream {
namespace {

using device::Pack;

struct Tuning {
  int threads;  // threads per block
  int packs;    // 16-byte packs per thread and array
};
// On an H200 with 2 GiB per array 128 threads and one pack took the least device time for the copy and the triad,
// before 256 threads, two packs per thread, and bulk copies through shared memory.
constexpr Tuning elementwise_tuning{.threads = 128, .packs = 1};
// A block of dot ends with a reduction that other blocks' loads must hide. Blocks of 1024 threads of 8 packs took the
// least time on an H200, before smaller ones of 16 packs: the smaller, the more.
constexpr Tuning dot_tuning{.threads = 1024, .packs = 8};
constexpr int dot_loads_in_flight = 4;  // packs per operand and thread

/// out = kernel(scalar, x, y) for n elements, in a grid of one thread for each pack. All loads of a thread are issued
/// before its first store. `streaming`: the arrays exceed the L2 cache, so that lines are marked for early eviction.
template <Kernel kernel, bool streaming, class T>
__global__ void __launch_bounds__(elementwise_tuning.threads)
    elementwise_kernel(T scalar, const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ out,
                       std::int64_t n) {
  constexpr int threads = elementwise_tuning.threads, packs_per_thread = elementwise_tuning.packs;
  const std::int64_t packs = n / Pack<T>::width;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (threads * packs_per_thread) + threadIdx.x;
  Pack<T> px[packs_per_thread] = {}, py[packs_per_thread] = {};
#pragma unroll
  for (int k = 0; k < packs_per_thread; ++k) {
    const std::int64_t p = first + k * threads;
    if (p >= packs) break;
    px[k] = device::load<streaming>(x, p);
    if constexpr (device::reads_y<kernel>) py[k] = device::load<streaming>(y, p);
  }
#pragma unroll
  for (int k = 0; k < packs_per_thread; ++k) {
    const std::int64_t p = first + k * threads;
    if (p >= packs) break;
    device::store<streaming>(out, p, device::apply<kernel>(scalar, px[k], py[k]));
  }
  // The remaining elements, fewer than a pack, are processed by the first threads of the first block.
  if (blockIdx.x == 0 && threadIdx.x < n - packs * Pack<T>::width) {
    const std::int64_t i = packs * Pack<T>::width + threadIdx.x;
    out[i] = device::apply<kernel>(scalar, x[i], device::reads_y<kernel> ? y[i] : T{});
  }
}

/// *result = the sum of x[i] y[i], in double precision. A block adds the products of dot_tuning.threads *
/// dot_tuning.packs consecutive packs and stores its sum in partial_sums[blockIdx.x]; `blocks_done` is 0 before the
/// kernel and afterwards. `result` may be page-locked host memory.
///
/// The last block sees all partial sums: each is written before a fence and an atomic increment, by the same thread,
/// and the block that reads the final count has a fence before it reads the sums.
template <bool streaming, class T>
__global__ void __launch_bounds__(dot_tuning.threads)
    dot_kernel(const T* __restrict__ x, const T* __restrict__ y, std::int64_t n, double* partial_sums,
               unsigned* blocks_done, double* result) {
  constexpr int threads = dot_tuning.threads;
  const std::int64_t packs = n / Pack<T>::width;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (threads * dot_tuning.packs) + threadIdx.x;
  double sum = 0;
  // A block with all of its packs, as every one but perhaps the last, needs no tests in its loop.
  if (first - threadIdx.x + threads * dot_tuning.packs <= packs) {
    for (int k = 0; k < dot_tuning.packs; k += dot_loads_in_flight) {
      Pack<T> px[dot_loads_in_flight], py[dot_loads_in_flight];
#pragma unroll
      for (int j = 0; j < dot_loads_in_flight; ++j) {
        px[j] = device::load<streaming>(x, first + (k + j) * threads);
        py[j] = device::load<streaming>(y, first + (k + j) * threads);
      }
#pragma unroll
      for (int j = 0; j < dot_loads_in_flight; ++j) sum = device::dot(px[j], py[j], sum);
    }
  } else {
    for (std::int64_t p = first; p < packs; p += threads)
      sum = device::dot(device::load<streaming>(x, p), device::load<streaming>(y, p), sum);
  }
  if (blockIdx.x == 0 && threadIdx.x < n - packs * Pack<T>::width) {
    const std::int64_t i = packs * Pack<T>::width + threadIdx.x;
    sum = fma(static_cast<double>(x[i]), static_cast<double>(y[i]), sum);
  }

  const double of_block = device::block_sum<threads>(sum);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial_sums[blockIdx.x] = of_block;
    __threadfence();  // makes the partial sum visible before the count
    last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  // The order of these additions depends on n only, whichever block is the last. __ldcg bypasses the L1 cache, which is
  // not coherent with the stores of other multiprocessors.
  double total = 0;
#pragma unroll 8
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) total += __ldcg(partial_sums + b);
  total = device::block_sum<threads>(total);
  if (threadIdx.x == 0) {
    *result = total;
    *blocks_done = 0;
  }
}

/// One thread per element.
template <class T>
__global__ void fill_kernel(T* out, std::int64_t n, T value) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

/// All pointers are multiples of 16 bytes. There is at least one block, for n below the elements of a pack.
template <bool streaming, class T>
void launch_best(Kernel kernel, const Operands<T>& o, const core::Stream& stream) {
  const std::int64_t packs = std::max<std::int64_t>(o.n / Pack<T>::width, 1);
  if (kernel == Kernel::dot) {
    const unsigned blocks = device::grid(core::blocks_for(packs, dot_tuning.threads * dot_tuning.packs));
    dot_kernel<streaming><<<blocks, dot_tuning.threads, 0, stream.get()>>>(o.x, o.y, o.n, o.dot->partial_sums(),
                                                                           o.dot->blocks_done(), o.dot->sum());
  } else {
    const unsigned blocks =
        device::grid(core::blocks_for(packs, elementwise_tuning.threads * elementwise_tuning.packs));
    device::with_elementwise(kernel, [&]<Kernel k>() {
      elementwise_kernel<k, streaming>
          <<<blocks, elementwise_tuning.threads, 0, stream.get()>>>(o.scalar, o.x, o.y, o.out, o.n);
    });
  }
  core::check(cudaGetLastError());
}

}  // namespace

DotWorkspace::DotWorkspace(std::int64_t n, const core::Stream& stream)
    : partial_sums_(static_cast<std::size_t>(partial_sums_for(n))), blocks_done_(1), sum_(1) {
  core::fill_bytes_async(blocks_done_, 0, stream);
}

template <class T>
void launch(Kernel kernel, const Operands<T>& o, const core::Stream& stream) {
  if (!device::aligned_for_packs(o)) return ladder::naive(kernel, o, stream);
  if (o.n == 0 && kernel != Kernel::dot) return;  // a dot of nothing has to store 0
  o.streaming ? launch_best<true>(kernel, o, stream) : launch_best<false>(kernel, o, stream);
}

template <class T>
void fill(T* out, std::int64_t n, T value, const core::Stream& stream) {
  if (n == 0) return;
  constexpr int threads = 256;
  fill_kernel<<<device::grid(core::blocks_for(n, threads)), threads, 0, stream.get()>>>(out, n, value);
  core::check(cudaGetLastError());
}

std::int64_t streaming_threshold() { return std::int64_t{core::device_attribute(cudaDevAttrL2CacheSize)} / 3 * 2; }

template void launch(Kernel, const Operands<double>&, const core::Stream&);
template void launch(Kernel, const Operands<float>&, const core::Stream&);
template void fill(double*, std::int64_t, double, const core::Stream&);
template void fill(float*, std::int64_t, float, const core::Stream&);

}  // namespace speedwell::stream

#include <algorithm>
#include <bit>

#include "speedwell/apps/fft/gpu/smooth_pass.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int threads = 256;
// Points of a block where a line is no longer: two buffers of them let three blocks share a multiprocessor.
constexpr int points_of_block = 2048;

/// Which line and which of its points a thread begins with, and how many further its next one is.
struct Share {
  int line, first, step;
};
__device__ Share share(bool rows, int lines) {
  const int thread = static_cast<int>(threadIdx.x), step = threads / lines;
  return rows ? Share{thread / step, thread % step, step} : Share{thread % lines, thread / lines, step};
}

template <class T, class Load, class Store>
__global__ void __launch_bounds__(threads)
    smooth_kernel(SmoothRadices radices, Pass<T> pass, int lines, Load load, Store store) {
  extern __shared__ __align__(16) char memory[];
  // An odd stride keeps both neighbouring points and neighbouring lines out of each other's bank.
  const int n = radices.n, stride = lines | 1;
  Complex<T>* from = reinterpret_cast<Complex<T>*>(memory);
  Complex<T>* to = from + n * stride;
  const std::int64_t first = std::int64_t{blockIdx.x} * lines;
  const Share reads = share(pass.in.element == 1, lines), writes = share(pass.out.element == 1, lines);
  if (first + reads.line < pass.lines) {
    const auto in = load.line(first + reads.line, 0, 1, pass.in);
    for (int i = reads.first; i < n; i += reads.step) from[i * stride + reads.line] = in(i);
  }
  __syncthreads();
  for (int p = 0, s = 1; p < radices.passes; s *= radices.radix[p++]) {
    const int radix = radices.radix[p];
    const Share mine = share(false, lines);
    for (int t = mine.first; t < n / radix; t += mine.step)
      smooth_butterfly(radix, from + mine.line, to + mine.line, stride, n, s, t, pass.table + radices.table[p]);
    __syncthreads();
    Complex<T>* const done = to;
    to = from;
    from = done;
  }
  if (first + writes.line < pass.lines) {
    const auto out = store.line(first + writes.line, 0, 1, pass.out);
    for (int i = writes.first; i < n; i += writes.step) out.any(i, from[i * stride + writes.line]);
  }
}

template <class T, class Store>
void launch(const SmoothRadices& radices, const Pass<T>& pass, const FromMemory<T>& in, const Store& out,
            const core::Stream& stream) {
  const int fit = std::clamp(points_of_block * 8 / static_cast<int>(sizeof(T)) / radices.n, 1, 64);
  const int lines = static_cast<int>(std::bit_floor(static_cast<unsigned>(fit)));
  const int shared_bytes = 2 * radices.n * (lines | 1) * static_cast<int>(sizeof(Complex<T>));
  const auto kernel = smooth_kernel<T, FromMemory<T>, Store>;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const auto blocks = static_cast<unsigned>(core::blocks_for(pass.lines, lines));
  kernel<<<blocks, threads, shared_bytes, stream.get()>>>(radices, pass, lines, in, out);
  core::check(cudaGetLastError());
}

}  // namespace

template <class T>
void transform_smooth(const SmoothRadices& radices, const Pass<T>& pass, const FromMemory<T>& in,
                      const ToMemory<T>& out, const core::Stream& stream) {
  launch(radices, pass, in, out, stream);
}
template <class T>
void transform_smooth(const SmoothRadices& radices, const Pass<T>& pass, const FromMemory<T>& in,
                      const ToMemoryTurned<T>& out, const core::Stream& stream) {
  launch(radices, pass, in, out, stream);
}

#define SPEEDWELL_SMOOTH(T)                                                                                            \
  template void transform_smooth(const SmoothRadices&, const Pass<T>&, const FromMemory<T>&, const ToMemory<T>&,       \
                                 const core::Stream&);                                                                 \
  template void transform_smooth(const SmoothRadices&, const Pass<T>&, const FromMemory<T>&, const ToMemoryTurned<T>&, \
                                 const core::Stream&);
SPEEDWELL_SMOOTH(float)
SPEEDWELL_SMOOTH(double)
#undef SPEEDWELL_SMOOTH

}  // namespace speedwell::fft::gpu

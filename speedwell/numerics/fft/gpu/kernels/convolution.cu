#include "speedwell/numerics/fft/gpu/kernels/convolution.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"

namespace speedwell::fft::gpu {
namespace {

// Multiplies by the chirp, transforms forward, multiplies by the chirp's spectrum, transforms backward, and multiplies
// by the chirp. Points are in natural order before and after every transform, and the backward transform is the forward
// one of conjugates.
template <class B, class T>
__global__ void __launch_bounds__(B::threads, resident_threads<T> / B::threads)
    convolution_kernel(Convolution<T> c, Pass<T> pass, FromMemory<T> in, ToMemory<T> out) {
  using L = typename B::OneLine;
  extern __shared__ __align__(16) char memory[];
  auto* const shared = reinterpret_cast<Complex<T>*>(memory);
  const std::int64_t first = std::int64_t{blockIdx.x} * B::lines;
  typename B::Registers x;
  {
    const int thread = detail::opaque_thread_index();
    const auto [line, lane] = B::load_position(thread);
    const auto read = in.line(first + line, lane, L::width, pass.in);
#pragma unroll
    for (int e = 0; e < L::points; ++e) {
      const int i = L::point_index(lane, e);
      x[e] = i < c.n && first + line < pass.lines ? read(e) * c.chirp[i] : Complex<T>{};
    }
    detail::transform_registers<B>(x, thread, pass.table, shared);
  }
  detail::synchronize<B>();
  {
    const int thread = detail::opaque_thread_index(), lane = B::store_position(thread).lane;
#pragma unroll
    for (int e = 0; e < L::points; ++e) x[e] = conj(x[e] * c.table[L::point_index(lane, e)]);
    detail::transform_registers<B>(x, thread, pass.table, shared);
  }
  const auto [line, lane] = B::store_position(detail::opaque_thread_index());
  const auto write = out.line(first + line, lane, L::width, pass.out);
#pragma unroll
  for (int e = 0; e < L::points; ++e) {
    const int i = L::point_index(lane, e);
    if (i < c.n && first + line < pass.lines) write(e, conj(x[e]) * c.chirp[i]);
  }
}

template <Lines kind, class T, int log_n = min_log_convolution>
void launch(const Convolution<T>& convolution, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
            const core::Stream& stream) {
  if constexpr (log_n <= max_log<T>) {
    if (convolution.log_longer != log_n) return launch<kind, T, log_n + 1>(convolution, pass, in, out, stream);
    using B = Block<T, log_n, kind>;
    const Grid grid = grid_of<B, T>(pass.lines, B::shared_points);
    return launch_kernel(convolution_kernel<B, T>, grid, stream, convolution, pass, in, out);
  }
  throw std::logic_error("fft: no convolution of this length");
}

}  // namespace

template <class T>
void convolve(const Convolution<T>& convolution, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
              const core::Stream& stream) {
  if (pass.in.element == 1 && pass.out.element == 1)
    launch<Lines::rows>(convolution, pass, in, out, stream);
  else
    launch<Lines::columns>(convolution, pass, in, out, stream);
}

template void convolve(const Convolution<float>&, const Pass<float>&, const FromMemory<float>&, const ToMemory<float>&,
                       const core::Stream&);
template void convolve(const Convolution<double>&, const Pass<double>&, const FromMemory<double>&,
                       const ToMemory<double>&, const core::Stream&);

}  // namespace speedwell::fft::gpu

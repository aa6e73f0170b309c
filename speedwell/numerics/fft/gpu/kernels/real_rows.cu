#include "speedwell/numerics/fft/gpu/device/real_pair.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"
#include "speedwell/numerics/fft/gpu/kernels/real_rows.hpp"

namespace speedwell::fft::gpu {
namespace {

/// The index of a point in shared memory between the transform of a row and its unpacking.
template <class B>
__device__ int in_shared(int line, int index) {
  return line * B::pitch + padded(index);
}

/// Calls f(k) for the thread's share of 0 <= k <= h / 2.
template <class L, class F>
__device__ void for_each_pair(int lane, F f) {
#pragma unroll
  for (int e = 0; e < L::points / 2; ++e) f(L::point_index(lane, e));
  if (lane == 0) f(L::n / 2);
}

template <class B, class T>
__global__ void __launch_bounds__(B::threads, resident_threads<T> / B::threads)
    real_rows_kernel(Pass<T> pass, FromMemory<T> pairs, ToMemory<T> spectrum, Roots<T> roots) {
  using L = typename B::OneLine;
  extern __shared__ __align__(16) char memory[];
  auto* const shared = reinterpret_cast<Complex<T>*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * B::lines;
  const auto [line, lane] = B::row_position(thread);
  typename B::Registers x;
  detail::load_registers<B>(x, thread, pass, first, pairs);
  detail::transform_registers<B>(x, thread, pass.table, shared);
  detail::synchronize<B>();
#pragma unroll
  for (int e = 0; e < L::points; ++e) shared[in_shared<B>(line, L::point_index(lane, e))] = x[e];
  detail::synchronize<B>();
  if (first + line >= pass.lines) return;
  const auto out = spectrum.line(first + line, 0, 1, pass.out);
  for_each_pair<L>(lane, [&, row = line](int k) {
    const Complex<T> z = shared[in_shared<B>(row, k)], mirrored = shared[in_shared<B>(row, (L::n - k) % L::n)];
    const auto [low, high] = unpacked(z, mirrored, roots(k));
    out(k, low);
    out(L::n - k, high);
  });
}

template <class B, class T>
__global__ void __launch_bounds__(B::threads, resident_threads<T> / B::threads)
    spectrum_rows_kernel(Pass<T> pass, FromMemory<T> spectrum, ToMemory<T> pairs, Roots<T> roots) {
  using L = typename B::OneLine;
  extern __shared__ __align__(16) char memory[];
  auto* const shared = reinterpret_cast<Complex<T>*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * B::lines;
  const auto [line, lane] = B::row_position(thread);
  if (first + line < pass.lines) {
    const auto in = spectrum.line(first + line, 0, 1, pass.in);
    for_each_pair<L>(lane, [&, row = line](int k) {
      Complex<T> a = in(k), b = in(L::n - k);
      if (k == 0) a.im = b.im = 0;
      const auto [low, high] = packed(a, b, roots(k));
      shared[in_shared<B>(row, k)] = conj(low);
      if (k > 0) shared[in_shared<B>(row, L::n - k)] = conj(high);
    });
  }
  detail::synchronize<B>();
  typename B::Registers x;
#pragma unroll
  for (int e = 0; e < L::points; ++e) x[e] = shared[in_shared<B>(line, L::point_index(lane, e))];
  detail::synchronize<B>();
  detail::transform_registers<B>(x, thread, pass.table, shared);
  detail::store_registers<B>(x, thread, pass, first, pairs);
}

template <class T, int log_pairs = 1>
void launch(int log, bool backward, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
            const Roots<T>& roots, const core::Stream& stream) {
  if constexpr (log_pairs <= max_log<T>) {
    if (log != log_pairs) return launch<T, log_pairs + 1>(log, backward, pass, in, out, roots, stream);
    using B = Block<T, log_pairs, Lines::rows>;
    const Grid grid = grid_of<B, T>(pass.lines, B::lines * B::pitch);
    const auto kernel = backward ? spectrum_rows_kernel<B, T> : real_rows_kernel<B, T>;
    return launch_kernel(kernel, grid, stream, pass, in, out, roots);
  }
  throw std::logic_error("fft: no pass for real rows of this length");
}

}  // namespace

template <class T>
void transform_real_rows(int log_pairs, const Pass<T>& pass, const FromMemory<T>& pairs, const ToMemory<T>& spectrum,
                         const Roots<T>& roots, const core::Stream& stream) {
  launch(log_pairs, false, pass, pairs, spectrum, roots, stream);
}
template <class T>
void transform_spectrum_rows(int log_pairs, const Pass<T>& pass, const FromMemory<T>& spectrum,
                             const ToMemory<T>& pairs, const Roots<T>& roots, const core::Stream& stream) {
  launch(log_pairs, true, pass, spectrum, pairs, roots, stream);
}

#define SPEEDWELL_REAL_ROWS(T)                                                                                      \
  template void transform_real_rows(int, const Pass<T>&, const FromMemory<T>&, const ToMemory<T>&, const Roots<T>&, \
                                    const core::Stream&);                                                           \
  template void transform_spectrum_rows(int, const Pass<T>&, const FromMemory<T>&, const ToMemory<T>&,              \
                                        const Roots<T>&, const core::Stream&);
SPEEDWELL_REAL_ROWS(float)
SPEEDWELL_REAL_ROWS(double)
#undef SPEEDWELL_REAL_ROWS

}  // namespace speedwell::fft::gpu

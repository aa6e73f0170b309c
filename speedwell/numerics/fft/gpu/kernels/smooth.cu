#include <algorithm>

#include "speedwell/numerics/fft/gpu/kernels/smooth_pass.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int max_threads = 256;
/// Points of a block, unless a line is longer: with two buffers each, three blocks fit a multiprocessor.
template <class T>
constexpr int points_per_block = 16384 / static_cast<int>(sizeof(T));
/// Columns are read in segments of 128 bytes if two blocks with such buffers fit a multiprocessor.
template <class T>
constexpr int wide = 64 / static_cast<int>(sizeof(T));
constexpr int max_wide_bytes = 110 << 10;

template <class T>
struct SmoothBlock {
  SmoothLine line;
  Pass<T> pass;
  Divisor lines;
  bool rows_in, rows_out;
};

/// A pass over all lines of a block: from memory or one buffer, to the other buffer or memory.
template <int R, class T, class Load, class Store>
__device__ void smooth_pass(const SmoothBlock<T>& block, int p, Complex<T>* from, Complex<T>* to, const Load& load,
                            const Store& store) {
  const SmoothPass& pass = block.line.pass[p];
  const bool is_first = p == 0, is_last = p + 1 == block.line.passes;
  const int lines = block.lines.divisor, pitch = block.line.pitch();
  const std::int64_t first = std::int64_t{blockIdx.x} * lines;
  for (int item = static_cast<int>(threadIdx.x); item < lines * pass.butterflies.divisor;
       item += static_cast<int>(blockDim.x)) {
    const auto [line, t] = smooth_item(pass, block.lines, is_last ? block.rows_out : block.rows_in, item);
    if (first + line >= block.pass.lines) continue;
    Complex<T> x[R];
    if (is_first) {
      const auto in = load.line(first + line, 0, 1, block.pass.in);
#pragma unroll
      for (int j = 0; j < R; ++j) x[j] = in(pass.from(t, j));
    } else {
#pragma unroll
      for (int j = 0; j < R; ++j) x[j] = from[line * pitch + pass.from(t, j)];
    }
    const int q = pass.q(t);
    smooth_butterfly(x, pass.s.divisor, q, block.pass.table + pass.table);
    if (is_last) {
      const auto out = store.line(first + line, 0, 1, block.pass.out);
#pragma unroll
      for (int k = 0; k < R; ++k) out.any(pass.to(t, q, k), x[k]);
    } else {
#pragma unroll
      for (int k = 0; k < R; ++k) to[line * pitch + pass.to(t, q, k)] = x[k];
    }
  }
}

template <int radix_limit, class T, class Load, class Store>
__global__ void __launch_bounds__(max_threads, radix_limit == max_small_radix ? 3 : 2)
    smooth_kernel(const __grid_constant__ SmoothBlock<T> block, Load load, Store store) {
  extern __shared__ __align__(16) char memory[];
  Complex<T>* from = reinterpret_cast<Complex<T>*>(memory);
  Complex<T>* to = from + block.lines.divisor * block.line.pitch();
  for (int p = 0; p < block.line.passes; ++p) {
    if (p > 0) __syncthreads();
    with_radix<radix_limit>(block.line.pass[p].radix,
                            [&]<int R>() { smooth_pass<R>(block, p, from, to, load, store); });
    Complex<T>* const written = to;
    to = from;
    from = written;
  }
}

/// The number of lines of a block.
template <class T>
int lines_per_block(const SmoothLine& line, bool rows, std::int64_t lines) {
  const int buffer_bytes = 2 * line.pitch() * static_cast<int>(sizeof(Complex<T>));
  int fit = std::max(1, points_per_block<T> / line.n);
  if (!rows) fit = std::max(fit, std::min(wide<T>, max_wide_bytes / buffer_bytes));
  return static_cast<int>(std::min<std::int64_t>(fit, lines));
}

template <int radix_limit, class T, class Store>
void launch_radices(const SmoothBlock<T>& block, const FromMemory<T>& in, const Store& out,
                    const core::Stream& stream) {
  const int lines = block.lines.divisor;
  const int shared_bytes = 2 * lines * block.line.pitch() * static_cast<int>(sizeof(Complex<T>));
  int items = 1;
  for (int p = 0; p < block.line.passes; ++p) items = std::max(items, lines * block.line.pass[p].butterflies.divisor);
  const int threads = std::min(max_threads, (items + 31) / 32 * 32);
  const Grid grid{core::blocks_for(block.pass.lines, lines), threads, shared_bytes};
  launch_kernel(smooth_kernel<radix_limit, T, FromMemory<T>, Store>, grid, stream, block, in, out);
}

template <class T, class Store>
void launch(const SmoothLine& line, const Pass<T>& pass, const FromMemory<T>& in, const Store& out,
            const core::Stream& stream) {
  const bool rows_in = pass.in.element == 1, rows_out = pass.out.element == 1;
  const SmoothBlock<T> block{line, pass, Divisor(lines_per_block<T>(line, rows_in && rows_out, pass.lines)), rows_in,
                             rows_out};
  int largest = 1;
  for (int p = 0; p < line.passes; ++p) largest = std::max(largest, line.pass[p].radix);
  if (largest <= max_small_radix)
    launch_radices<max_small_radix>(block, in, out, stream);
  else
    launch_radices<max_radix>(block, in, out, stream);
}

}  // namespace

template <class T>
void transform_smooth(const SmoothLine& line, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                      const core::Stream& stream) {
  launch(line, pass, in, out, stream);
}
template <class T>
void transform_smooth(const SmoothLine& line, const Pass<T>& pass, const FromMemory<T>& in,
                      const ToMemoryWithTwiddles<T>& out, const core::Stream& stream) {
  launch(line, pass, in, out, stream);
}

#define SPEEDWELL_SMOOTH(T)                                                                                   \
  template void transform_smooth(const SmoothLine&, const Pass<T>&, const FromMemory<T>&, const ToMemory<T>&, \
                                 const core::Stream&);                                                        \
  template void transform_smooth(const SmoothLine&, const Pass<T>&, const FromMemory<T>&,                     \
                                 const ToMemoryWithTwiddles<T>&, const core::Stream&);
SPEEDWELL_SMOOTH(float)
SPEEDWELL_SMOOTH(double)
#undef SPEEDWELL_SMOOTH

}  // namespace speedwell::fft::gpu

#include <algorithm>

#include "speedwell/numerics/fft/gpu/device/real_pair.hpp"
#include "speedwell/numerics/fft/gpu/kernels/elementwise.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int threads = 256;

/// Calls f(line, i) for every line and i < n.
template <class F>
__global__ void __launch_bounds__(threads) each_point(std::int64_t lines, std::int64_t n, F f) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < lines * n; at += step)
    f(at / n, at % n);
}
template <class F>
void for_each_point(std::int64_t lines, std::int64_t n, const core::Stream& stream, F f) {
  constexpr std::int64_t max_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min(core::blocks_for(lines * n, threads), max_blocks));
  each_point<<<blocks, threads, 0, stream.get()>>>(lines, n, f);
  core::check(cudaGetLastError());
}

}  // namespace

template <class T>
void gather(const GatheredLines<T>& g, const Complex<T>* in, const LineLayout& layout, T sign, Complex<T>* work,
            const core::Stream& stream) {
  for_each_point(g.lines, g.pitch, stream, [=] __device__(std::int64_t line, std::int64_t i) {
    Complex<T> z{};
    if (i < g.n) {
      z = in[layout.line(line) + i * layout.element];
      z.im *= sign;
      if (g.chirp) z = z * g.chirp[i];
    }
    work[line * g.pitch + i] = z;
  });
}

template <class T>
void scatter(const GatheredLines<T>& g, const Complex<T>* work, Complex<T>* out, const LineLayout& layout, T sign,
             T scale, const core::Stream& stream) {
  for_each_point(g.lines, g.n, stream, [=] __device__(std::int64_t line, std::int64_t i) {
    Complex<T> z = work[line * g.pitch + i];
    if (g.chirp) z = z * g.chirp[i];
    out[layout.line(line) + i * layout.element] = {scale * z.re, sign * scale * z.im};
  });
}

template <class T>
void multiply(Complex<T>* x, std::int64_t lines, std::int64_t n, const Complex<T>* table, const core::Stream& stream) {
  for_each_point(lines, n, stream,
                 [=] __device__(std::int64_t line, std::int64_t i) { x[line * n + i] = x[line * n + i] * table[i]; });
}

template <class T>
void unpack(const RealRows& r, Complex<T>* x, const Roots<T>& roots, const core::Stream& stream) {
  const std::int64_t h = r.n / 2, pitch = r.bins();
  for_each_point(r.rows, h / 2 + 1, stream, [=] __device__(std::int64_t row, std::int64_t k) {
    Complex<T>* const z = x + row * pitch;
    const auto [low, high] = unpacked(z[k], z[k == 0 ? 0 : h - k], roots(k));
    z[h - k] = high;
    z[k] = low;
  });
}

template <class T>
void pack(const RealRows& r, const Complex<T>* spectrum, Complex<T>* pairs, std::int64_t pitch, const Roots<T>& roots,
          const core::Stream& stream) {
  const std::int64_t h = r.n / 2, bins = r.bins();
  for_each_point(r.rows, h / 2 + 1, stream, [=] __device__(std::int64_t row, std::int64_t k) {
    const Complex<T>* const x = spectrum + row * bins;
    Complex<T>* const z = pairs + row * pitch;
    Complex<T> a = x[k], b = x[h - k];
    if (k == 0) a.im = b.im = 0;
    const auto [low, high] = packed(a, b, roots(k));
    if (k > 0) z[h - k] = high;
    z[k] = low;
  });
}

template <class T>
void widen(const RealRows& r, const T* reals, std::int64_t pitch, Complex<T>* x, const core::Stream& stream) {
  const std::int64_t n = r.n;
  for_each_point(r.rows, n, stream, [=] __device__(std::int64_t row, std::int64_t i) {
    x[row * n + i] = {reals[row * pitch + i], 0};
  });
}
template <class T>
void extract_half_spectrum(const RealRows& r, const Complex<T>* x, Complex<T>* spectrum, const core::Stream& stream) {
  const std::int64_t n = r.n, bins = r.bins();
  for_each_point(r.rows, bins, stream, [=] __device__(std::int64_t row, std::int64_t k) {
    const Complex<T> z = x[row * n + k];
    spectrum[row * bins + k] = {z.re, k == 0 ? T{0} : z.im};
  });
}
template <class T>
void expand_half_spectrum(const RealRows& r, const Complex<T>* spectrum, Complex<T>* x, const core::Stream& stream) {
  const std::int64_t n = r.n, bins = r.bins();
  for_each_point(r.rows, bins, stream, [=] __device__(std::int64_t row, std::int64_t k) {
    const Complex<T> z = spectrum[row * bins + k];
    x[row * n + k] = {z.re, k == 0 ? T{0} : z.im};
    if (k > 0) x[row * n + n - k] = conj(z);
  });
}
template <class T>
void narrow(const RealRows& r, const Complex<T>* x, T* reals, std::int64_t pitch, const core::Stream& stream) {
  const std::int64_t n = r.n;
  for_each_point(r.rows, n, stream,
                 [=] __device__(std::int64_t row, std::int64_t i) { reals[row * pitch + i] = x[row * n + i].re; });
}

#define SPEEDWELL_ELEMENTWISE(T)                                                                             \
  template void gather(const GatheredLines<T>&, const Complex<T>*, const LineLayout&, T, Complex<T>*,        \
                       const core::Stream&);                                                                 \
  template void scatter(const GatheredLines<T>&, const Complex<T>*, Complex<T>*, const LineLayout&, T, T,    \
                        const core::Stream&);                                                                \
  template void multiply(Complex<T>*, std::int64_t, std::int64_t, const Complex<T>*, const core::Stream&);   \
  template void unpack(const RealRows&, Complex<T>*, const Roots<T>&, const core::Stream&);                  \
  template void pack(const RealRows&, const Complex<T>*, Complex<T>*, std::int64_t, const Roots<T>&,         \
                     const core::Stream&);                                                                   \
  template void widen(const RealRows&, const T*, std::int64_t, Complex<T>*, const core::Stream&);            \
  template void extract_half_spectrum(const RealRows&, const Complex<T>*, Complex<T>*, const core::Stream&); \
  template void expand_half_spectrum(const RealRows&, const Complex<T>*, Complex<T>*, const core::Stream&);  \
  template void narrow(const RealRows&, const Complex<T>*, T*, std::int64_t, const core::Stream&);
SPEEDWELL_ELEMENTWISE(float)
SPEEDWELL_ELEMENTWISE(double)
#undef SPEEDWELL_ELEMENTWISE

}  // namespace speedwell::fft::gpu

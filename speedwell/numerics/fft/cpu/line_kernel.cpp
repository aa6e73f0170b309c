// Kernels that transform one line per SIMD lane: passes, convolutions, and unpacking of real lines.
#include "speedwell/numerics/fft/cpu/line_kernel.hpp"

#include "speedwell/numerics/fft/cpu/line_buffers.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::fft::SPEEDWELL_ISA {
namespace {

template <class T>
Pair<T> times_entry(Pair<T> z, const T* entry) {
  return times(z, simd::broadcast(entry[0]), simd::broadcast(entry[1]));
}

template <int R, class T, class Load, class Store>
void pass_of(const Pass<T>& pass, Load load, Store store) {
  const std::int64_t m = pass.groups, s = pass.stride;
  const T* w = pass.twiddles + 2 * (R - 1);  // the twiddles of p = 0 are ones
  Pair<T> x[R];
  for (std::int64_t q = 0; q < s; ++q) {
    each<R>([&]<int J>() __attribute__((always_inline)) { x[J] = load(q + s * m * J); });
    Butterfly<R>::apply(x);
    each<R>([&]<int K>() __attribute__((always_inline)) { store(q + s * K, x[K]); });
  }
  for (std::int64_t p = 1; p < m; ++p, w += 2 * (R - 1))
    for (std::int64_t q = 0; q < s; ++q) {
      each<R>([&]<int J>() __attribute__((always_inline)) { x[J] = load(q + s * (p + m * J)); });
      Butterfly<R>::apply(x);
      store(q + s * R * p, x[0]);
      each<R - 1>([&]<int K>() __attribute__((always_inline)) {
        store(q + s * (R * p + K + 1), times_entry(x[K + 1], w + 2 * K));
      });
    }
}

template <class T, class Load, class Store>
void any_pass(const Pass<T>& pass, Load load, Store store) {
  switch (pass.radix) {
    case 1:
      return pass_of<1>(pass, load, store);
    case 2:
      return pass_of<2>(pass, load, store);
    case 3:
      return pass_of<3>(pass, load, store);
    case 4:
      return pass_of<4>(pass, load, store);
    case 5:
      return pass_of<5>(pass, load, store);
    case 7:
      return pass_of<7>(pass, load, store);
    case 8:
      return pass_of<8>(pass, load, store);
    case 11:
      return pass_of<11>(pass, load, store);
    case 13:
      return pass_of<13>(pass, load, store);
  }
}

/// Executes all passes but the last and returns the buffer that holds the result. `load` may read buffer[1], and
/// neither of the two buffers otherwise. There are at least two passes.
template <class T, class Load>
T* passes_but_last(const LineTables<T>& tables, T* const (&buffer)[2], Load load) {
  any_pass(tables.pass[0], load, ToBuffer<T>{buffer[0]});
  for (int i = 1; i < tables.passes - 1; ++i)
    any_pass(tables.pass[i], FromBuffer<T>{buffer[1 - i % 2]}, ToBuffer<T>{buffer[i % 2]});
  return buffer[tables.passes % 2];
}
template <class T, class Store>
void last_pass(const LineTables<T>& tables, const T* from, Store store) {
  any_pass(tables.pass[tables.passes - 1], FromBuffer<T>{from}, store);
}
/// Executes all passes from buffer[1] and returns the buffer that holds the result.
template <class T, class Load>
T* passes_in_buffers(const LineTables<T>& tables, T* const (&buffer)[2], Load load) {
  if (tables.passes == 1) {
    any_pass(tables.pass[0], load, ToBuffer<T>{buffer[0]});
    return buffer[0];
  }
  T* const from = passes_but_last(tables, buffer, load);
  T* const to = from == buffer[0] ? buffer[1] : buffer[0];
  last_pass(tables, from, ToBuffer<T>{to});
  return to;
}

/// Bluestein's algorithm: a convolution with the chirp by two longer transforms, from buffer[1] to the returned buffer.
template <class T>
T* convolve(const LineTables<T>& tables, T* const (&buffer)[2]) {
  const LineTables<T>& longer = *tables.convolution;
  for (std::int64_t j = 0; j < tables.n; ++j)
    ToBuffer<T>{buffer[1]}(j, times_entry(FromBuffer<T>{buffer[1]}(j), tables.chirp + 2 * j));
  for (std::int64_t j = tables.n; j < longer.n; ++j) ToBuffer<T>{buffer[1]}(j, Pair<T>{});
  T* const transformed = passes_in_buffers(longer, buffer, FromBuffer<T>{buffer[1]});
  // real and imaginary parts exchanged, because the next transform is backward
  for (std::int64_t j = 0; j < longer.n; ++j)
    ToBuffer<T>{transformed}(j, exchanged(times_entry(FromBuffer<T>{transformed}(j), tables.spectrum + 2 * j), true));
  T* const back[2] = {transformed == buffer[0] ? buffer[1] : buffer[0], transformed};
  T* const result = passes_in_buffers(longer, back, FromBuffer<T>{transformed});
  for (std::int64_t k = 0; k < tables.n; ++k)
    ToBuffer<T>{result}(k, times_entry(exchanged(FromBuffer<T>{result}(k), true), tables.chirp + 2 * k));
  return result;
}

template <class T>
T* transform_in_buffers(const LineTables<T>& tables, T* const (&buffer)[2]) {
  return tables.convolution ? convolve(tables, buffer) : passes_in_buffers(tables, buffer, FromBuffer<T>{buffer[1]});
}

/// Executes all passes: the first reads with `load`, and the last stores to memory if the lines are whole columns.
template <bool Backward, class T, class Load>
void passes_to_memory(const LineTables<T>& tables, const Lines<T>& lines, Load load) {
  if (tables.passes > 1 && lines.count == width<T> && lines.out_lane == 2) {
    last_pass(tables, passes_but_last(tables, lines.buffer, load),
              ToColumns<T, Backward>{lines.out, lines.out_element, lines.scale, lines.streamed});
    if (lines.streamed) numerics::streaming::fence();
  } else {
    scatter<Backward>(passes_in_buffers(tables, lines.buffer, load), lines, tables.n);
  }
}

/// As above, with the loaded values multiplied by the weights, if there are any.
template <bool Backward, class T, class Load>
void weighted_passes(const LineTables<T>& tables, const Lines<T>& lines, Load load) {
  if (lines.weights) return passes_to_memory<Backward>(tables, lines, Weighted<T, Load>{load, lines.weights});
  passes_to_memory<Backward>(tables, lines, load);
}

template <bool Backward, class T>
void weighted_convolution(const LineTables<T>& tables, const Lines<T>& lines) {
  if (lines.weights)
    for (std::int64_t i = 0; i < tables.n; ++i)
      ToBuffer<T>{lines.buffer[1]}(i, Weighted<T, FromBuffer<T>>{{lines.buffer[1]}, lines.weights}(i));
  scatter<Backward>(convolve(tables, lines.buffer), lines, tables.n);
}

template <bool Backward, class T>
void complex_lines(const LineTables<T>& tables, const Lines<T>& lines) {
  const bool columns = tables.passes > 1 && lines.count == width<T> && lines.in_lane == 2 && !lines.twiddles.lanes;
  if (columns) return weighted_passes<Backward>(tables, lines, FromColumns<T, Backward>{lines.in, lines.in_element});
  gather<Backward>(lines, tables.n, lines.buffer[1]);
  const FromBuffer<T> gathered{lines.buffer[1]};
  if (tables.convolution) return weighted_convolution<Backward>(tables, lines);
  if (lines.twiddles.lanes) return passes_to_memory<Backward>(tables, lines, WithTwiddles<T>{gathered, lines.twiddles});
  weighted_passes<Backward>(tables, lines, gathered);
}
template <class T>
void complex_lines(const LineTables<T>& tables, const Lines<T>& lines) {
  lines.backward ? complex_lines<true>(tables, lines) : complex_lines<false>(tables, lines);
}

/// Computes X of n reals at k and n / 2 - k from Z, the transform of the reals read as n / 2 complex numbers. With E
/// and O the transforms of even and odd elements, Z = E + i O and X[k] = E + w^k O.
template <class T>
void unpack(const RealTables<T>& tables, const T* z, T* x) {
  const std::int64_t half = tables.n / 2;
  const Vector<T> one_half = simd::broadcast(static_cast<T>(0.5));
  const Pair<T> zero = FromBuffer<T>{z}(0);
  ToBuffer<T>{x}(0, {zero.re + zero.im, Vector<T>{}});
  ToBuffer<T>{x}(half, {zero.re - zero.im, Vector<T>{}});
  for (std::int64_t k = 1; 2 * k <= half; ++k) {
    const Pair<T> a = FromBuffer<T>{z}(k), b = FromBuffer<T>{z}(half - k);
    const Pair<T> even = {(a.re + b.re) * one_half, (a.im - b.im) * one_half};
    const Pair<T> odd = times_entry<T>({(a.im + b.im) * one_half, (b.re - a.re) * one_half}, tables.unpack + 2 * k);
    ToBuffer<T>{x}(k, even + odd);
    ToBuffer<T>{x}(half - k, {even.re - odd.re, odd.im - even.im});
  }
}
/// The inverse of unpacking, doubled as an unscaled transform is, with real and imaginary parts exchanged for a
/// backward one.
template <class T>
void pack(const RealTables<T>& tables, const T* x, T* z) {
  const std::int64_t half = tables.n / 2;
  const Vector<T> first = FromBuffer<T>{x}(0).re, last = FromBuffer<T>{x}(half).re;
  ToBuffer<T>{z}(0, {first - last, first + last});
  for (std::int64_t k = 1; 2 * k <= half; ++k) {
    const Pair<T> a = FromBuffer<T>{x}(k), b = FromBuffer<T>{x}(half - k);
    const T* w = tables.unpack + 2 * k;
    const Pair<T> even = {a.re + b.re, a.im - b.im};
    const Pair<T> odd = times<T>({a.re - b.re, a.im + b.im}, simd::broadcast(w[0]), simd::broadcast(-w[1]));
    ToBuffer<T>{z}(k, {even.im + odd.re, even.re - odd.im});
    ToBuffer<T>{z}(half - k, {odd.re - even.im, even.re + odd.im});
  }
}

// Real lines of odd length are transformed as complex lines with imaginary parts of zero.
template <class T>
void odd_real_forward(const RealTables<T>& tables, const Lines<T>& lines) {
  for (std::int64_t i = 0; i < tables.n; ++i) {
    Pair<T> point{};
    for (int l = 0; l < lines.count; ++l) point.re[l] = lines.in[l * lines.in_lane + i];
    ToBuffer<T>{lines.buffer[1]}(i, point);
  }
  scatter<false>(transform_in_buffers(*tables.half, lines.buffer), lines, tables.n / 2 + 1);
}
template <class T>
void odd_real_backward(const RealTables<T>& tables, const Lines<T>& lines) {
  T* const points = lines.buffer[1];
  gather<true>(lines, tables.n / 2 + 1, points);  // real and imaginary parts exchanged
  ToBuffer<T>{points}(0, {Vector<T>{}, FromBuffer<T>{points}(0).im});
  for (std::int64_t k = 1; 2 * k < tables.n; ++k) {
    const Pair<T> z = FromBuffer<T>{points}(k);
    ToBuffer<T>{points}(tables.n - k, {-z.re, z.im});
  }
  const T* const result = transform_in_buffers(*tables.half, lines.buffer);
  for (std::int64_t i = 0; i < tables.n; ++i)
    for (int l = 0; l < lines.count; ++l)
      lines.out[l * lines.out_lane + i] = lines.scale * FromBuffer<T>{result}(i).im[l];
}

template <class T>
void real_lines(const RealTables<T>& tables, const Lines<T>& lines) {
  if (tables.n % 2) return lines.backward ? odd_real_backward(tables, lines) : odd_real_forward(tables, lines);
  T* const(&buffer)[2] = lines.buffer;
  Lines<T> complex = lines;
  if (!lines.backward) {
    complex.in_element = 2;
    gather<false>(complex, tables.n / 2, buffer[1]);
    T* const z = transform_in_buffers(*tables.half, buffer);
    T* const x = z == buffer[0] ? buffer[1] : buffer[0];
    unpack(tables, z, x);
    scatter<false>(x, lines, tables.n / 2 + 1);
  } else {
    gather<false>(lines, tables.n / 2 + 1, buffer[0]);
    pack(tables, buffer[0], buffer[1]);
    complex.out_element = 2;
    scatter<true>(transform_in_buffers(*tables.half, buffer), complex, tables.n / 2);
  }
}

}  // namespace

void complex_f32(const LineTables<float>& tables, const Lines<float>& lines) { complex_lines(tables, lines); }
void complex_f64(const LineTables<double>& tables, const Lines<double>& lines) { complex_lines(tables, lines); }
void real_f32(const RealTables<float>& tables, const Lines<float>& lines) { real_lines(tables, lines); }
void real_f64(const RealTables<double>& tables, const Lines<double>& lines) { real_lines(tables, lines); }
int lanes_f32() { return width<float>; }
int lanes_f64() { return width<double>; }

}  // namespace speedwell::fft::SPEEDWELL_ISA

// Loads and stores of passes over one line per SIMD lane: from and to memory, and buffers that hold for every point a
// vector of real and a vector of imaginary parts. Backward transforms are forward ones with real and imaginary parts
// exchanged in the loads and in the stores. Everything has internal linkage, as in core/simd.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "speedwell/numerics/fft/cpu/butterflies.hpp"
#include "speedwell/numerics/fft/cpu/line_kernel.hpp"
#include "speedwell/numerics/squares.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::fft::SPEEDWELL_ISA {
namespace {

namespace simd = core::simd;
using simd::Vector;
using simd::width;

template <class T>
inline Pair<T> exchanged(Pair<T> z, bool exchange) {
  return exchange ? Pair<T>{z.im, z.re} : z;
}

template <class T>
struct FromBuffer {
  const T* buffer;
  Pair<T> operator()(std::int64_t i) const {
    const T* p = buffer + i * 2 * width<T>;
    return {simd::load(p), simd::load(p + width<T>)};
  }
};
template <class T>
struct ToBuffer {
  T* buffer;
  void operator()(std::int64_t i, Pair<T> z) const {
    T* p = buffer + i * 2 * width<T>;
    simd::store(p, z.re);
    simd::store(p + width<T>, z.im);
  }
};

/// Loads from a buffer and multiplies by the twiddle factors between the two halves of a four-step transform.
template <class T>
struct WithTwiddles {
  FromBuffer<T> points;
  FourStepTwiddles<T> twiddles;
  Pair<T> operator()(std::int64_t i) const {
    const std::int64_t exponent = i * twiddles.line;
    const T* h = twiddles.high + 2 * (exponent >> twiddles.bits);
    const T* l = twiddles.low + 2 * (exponent & ((std::int64_t{1} << twiddles.bits) - 1));
    const T re = h[0] * l[0] - h[1] * l[1], im = h[0] * l[1] + h[1] * l[0];
    const Pair<T> of_lanes = FromBuffer<T>{twiddles.lanes}(i);
    return times(points(i), of_lanes.re * re - of_lanes.im * im, of_lanes.re * im + of_lanes.im * re);
  }
};

/// Multiplies by a weight for each point of a line.
template <class T, class Load>
struct Weighted {
  Load load;
  const T* weights;
  Pair<T> operator()(std::int64_t i) const {
    const Pair<T> z = load(i);
    return {z.re * weights[i], z.im * weights[i]};
  }
};

namespace detail {
template <class V, int... Lane>
inline V even_lanes(V a, V b, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a, b, (2 * Lane)...);
}
template <class V, int... Lane>
inline V odd_lanes(V a, V b, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a, b, (2 * Lane + 1)...);
}
template <int First, class V, int... Lane>
inline V interleaved(V a, V b, std::integer_sequence<int, Lane...>) {
  constexpr int count = sizeof...(Lane);
  return __builtin_shufflevector(a, b, (First + Lane / 2 + (Lane % 2 ? count : 0))...);
}
}  // namespace detail

/// Lines that are columns: the lanes of a point are contiguous in memory.
template <class T, bool Exchange>
struct FromColumns {
  const T* first;
  std::int64_t element;
  Pair<T> operator()(std::int64_t i) const {
    const T* p = first + i * element;
    const Vector<T> a = simd::load(p), b = simd::load(p + width<T>);
    const simd::detail::Numbers<T> lanes;
    return exchanged<T>({detail::even_lanes(a, b, lanes), detail::odd_lanes(a, b, lanes)}, Exchange);
  }
};
template <class T, bool Exchange>
struct ToColumns {
  T* first;
  std::int64_t element;
  T scale;
  bool streamed = false;
  void operator()(std::int64_t i, Pair<T> z) const {
    z = exchanged(z, Exchange);
    z = {z.re * scale, z.im * scale};
    T* p = first + i * element;
    const simd::detail::Numbers<T> lanes;
    const Vector<T> low = detail::interleaved<0>(z.re, z.im, lanes);
    const Vector<T> high = detail::interleaved<width<T> / 2>(z.re, z.im, lanes);
    if (streamed) {
      numerics::streaming::store(p, low);
      numerics::streaming::store(p + width<T>, high);
    } else {
      simd::store(p, low);
      simd::store(p + width<T>, high);
    }
  }
};

/// Gathers points first … last - 1 of lines with any strides into a buffer. Lanes without a line become zeros.
template <class T>
void gather_any(const Lines<T>& lines, std::int64_t first, std::int64_t last, bool exchange, T* buffer) {
  for (std::int64_t i = first; i < last; ++i) {
    T* point = buffer + i * 2 * width<T>;
    for (int l = 0; l < width<T>; ++l) {
      const T* p = lines.in + l * lines.in_lane + i * lines.in_element;
      point[l + (exchange ? width<T> : 0)] = l < lines.count ? p[0] : 0;
      point[l + (exchange ? 0 : width<T>)] = l < lines.count ? p[1] : 0;
    }
  }
}
template <class T>
void scatter_any(const T* buffer, const Lines<T>& lines, std::int64_t first, std::int64_t last, bool exchange) {
  for (std::int64_t i = first; i < last; ++i) {
    const T* point = buffer + i * 2 * width<T>;
    for (int l = 0; l < lines.count; ++l) {
      T* p = lines.out + l * lines.out_lane + i * lines.out_element;
      p[0] = lines.scale * point[l + (exchange ? width<T> : 0)];
      p[1] = lines.scale * point[l + (exchange ? 0 : width<T>)];
    }
  }
}

/// Gathers all points: contiguous rows by transposing squares of vectors, whole columns by vector loads.
template <bool Exchange, class T>
void gather(const Lines<T>& lines, std::int64_t points, T* buffer) {
  constexpr int block = width<T> / 2;
  std::int64_t i = 0;
  if (lines.count == width<T> && lines.in_lane == 2)
    for (; i < points; ++i) ToBuffer<T>{buffer}(i, FromColumns<T, Exchange>{lines.in, lines.in_element}(i));
  else if (lines.count == width<T> && lines.in_element == 2)
    for (; i + block <= points; i += block) {
      Vector<T> square[width<T>];
      each<width<T>>([&]<int L>() __attribute__((always_inline)) {
        square[L] = simd::load(lines.in + L * lines.in_lane + 2 * i);
      });
      numerics::squares::transpose<T>(square);
      each<block>([&]<int C>() __attribute__((always_inline)) {
        ToBuffer<T>{buffer}(i + C, exchanged<T>({square[2 * C], square[2 * C + 1]}, Exchange));
      });
    }
  gather_any(lines, i, points, Exchange, buffer);
}
template <bool Exchange, class T>
void scatter(const T* buffer, const Lines<T>& lines, std::int64_t points) {
  constexpr int block = width<T> / 2;
  std::int64_t i = 0;
  if (lines.count == width<T> && lines.out_lane == 2)
    for (; i < points; ++i)
      ToColumns<T, Exchange>{lines.out, lines.out_element, lines.scale}(i, FromBuffer<T>{buffer}(i));
  else if (lines.count == width<T> && lines.out_element == 2)
    for (; i + block <= points; i += block) {
      Vector<T> square[width<T>];
      each<block>([&]<int C>() __attribute__((always_inline)) {
        const Pair<T> z = exchanged(FromBuffer<T>{buffer}(i + C), Exchange);
        square[2 * C] = z.re * lines.scale, square[2 * C + 1] = z.im * lines.scale;
      });
      numerics::squares::transpose<T>(square);
      each<width<T>>([&]<int L>() __attribute__((always_inline)) {
        simd::store(lines.out + L * lines.out_lane + 2 * i, square[L]);
      });
    }
  scatter_any(buffer, lines, i, points, Exchange);
}

}  // namespace
}  // namespace speedwell::fft::SPEEDWELL_ISA

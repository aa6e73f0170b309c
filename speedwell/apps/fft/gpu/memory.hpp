// How a pass reads and writes memory. A pass is a template over two such: other applications read what they compute on
// the way in, or write something else than the transform. Included by CUDA sources alone.
//
// A Load has load.line(number, lane, width, place), which gives what can be called as (e) for the value of register e,
// that is of point lane + width e; a Store the same, called as (e, value), or as any(e, value) where registers do not
// come one after the other from 0.
#pragma once

#include "speedwell/apps/fft/gpu/complex.hpp"
#include "speedwell/apps/fft/gpu/place.hpp"
#include "speedwell/apps/fft/gpu/roots.hpp"

namespace speedwell::fft::gpu {

/// usual: in all caches. streamed: the first to leave the caches. shared: past the first-level cache, for what other
/// multiprocessors have written since the kernel began.
enum class Cached { usual, streamed, shared };

namespace detail {

inline __device__ double2 as_vector(Complex<double> z) { return make_double2(z.re, z.im); }
inline __device__ float2 as_vector(Complex<float> z) { return make_float2(z.re, z.im); }
template <class T>
using Vector = decltype(as_vector(Complex<T>{}));

template <Cached cached, class T>
__device__ Complex<T> fetch(const Complex<T>* p) {
  const auto* vector = reinterpret_cast<const Vector<T>*>(p);
  const Vector<T> v = cached == Cached::usual ? *vector : cached == Cached::streamed ? __ldcs(vector) : __ldcg(vector);
  return {v.x, v.y};
}
template <Cached cached, class T>
__device__ void put(Complex<T>* p, Complex<T> z) {
  auto* vector = reinterpret_cast<Vector<T>*>(p);
  if constexpr (cached == Cached::usual) *vector = as_vector(z);
  if constexpr (cached == Cached::streamed) __stcs(vector, as_vector(z));
  if constexpr (cached == Cached::shared) __stcg(vector, as_vector(z));
}

}  // namespace detail

/// An array in memory; conjugated on the way in if `sign` is -1.
template <class T, Cached cached = Cached::usual>
struct FromMemory {
  const Complex<T>* x;
  T sign = 1;

  struct Line {
    const Complex<T>* x;
    std::int64_t step;
    T sign;
    __device__ Complex<T> operator()(int e) const {
      const Complex<T> z = detail::fetch<cached>(x + e * step);
      return {z.re, sign * z.im};
    }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const Place& place) const {
    return {x + place.line(number) + lane * place.element, width * place.element, sign};
  }
};

/// The same of results, scaled.
template <class T, Cached cached = Cached::usual>
struct ToMemory {
  Complex<T>* x;
  T scale = 1, sign = 1;

  struct Line {
    Complex<T>* x;
    std::int64_t step;
    T re, im;
    __device__ void operator()(int e, Complex<T> z) const { detail::put<cached>(x + e * step, {re * z.re, im * z.im}); }
    __device__ void any(int e, Complex<T> z) const { (*this)(e, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const Place& place) const {
    return {x + place.line(number) + lane * place.element, width * place.element, scale, sign * scale};
  }
};

/// Results times the roots between two of four steps: point k of column c times e^{-2 pi i c k / M}.
template <class T>
struct ToMemoryTurned {
  Complex<T>* x;
  Roots<T> roots;
  std::int64_t columns;  // line number % columns is c

  struct Line {
    Complex<T>* x;
    std::int64_t step, exponent, turn;  // of register 0, and from one register to the next
    Roots<T> roots;
    Complex<T> near[4] = {}, far = {};
    // Four registers share a root; from that the others are at most three steps away.
    __device__ void operator()(int e, Complex<T> z) {
      if (e == 0)
        for (int k = 1; k < 4; ++k) near[k] = roots(k * turn);
      if (e % 4 == 0) far = roots(exponent + e * turn);
      write(e, z * (e % 4 == 0 ? far : far * near[e % 4]));
    }
    __device__ void any(int e, Complex<T> z) const { write(e, z * roots(exponent + e * turn)); }
    __device__ void write(int e, Complex<T> z) const { detail::put<Cached::usual>(x + e * step, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const Place& place) const {
    const std::int64_t c = number % columns;
    return {x + place.line(number) + lane * place.element, width * place.element, c * lane, c * width, roots};
  }
};

}  // namespace speedwell::fft::gpu

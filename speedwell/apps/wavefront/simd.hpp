// Vectors of the compiler for files that are compiled for each instruction set (core/isa.hpp): as wide as that set's
// registers, with what operators do not say. Everything has internal linkage: the linker must not keep one set's copy.
#pragma once

#include <cstdint>

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace speedwell::wavefront::simd {
namespace {

#if defined(SPEEDWELL_ISA_avx512)
constexpr int vector_bytes = 64;
#elif defined(SPEEDWELL_ISA_avx2)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// `memory` is a vector anywhere in an array.
template <class T>
struct Types;
template <>
struct Types<float> {
  typedef float vector __attribute__((vector_size(vector_bytes)));
  typedef float memory __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
};
template <>
struct Types<double> {
  typedef double vector __attribute__((vector_size(vector_bytes)));
  typedef double memory __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
};
template <class T>
using Vector = typename Types<T>::vector;
template <class T>
constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
inline Vector<T> load(const T* p) {
  return *reinterpret_cast<const typename Types<T>::memory*>(p);
}
template <class T>
inline void store(T* p, Vector<T> v) {
  *reinterpret_cast<typename Types<T>::memory*>(p) = v;
}
template <class T>
inline Vector<T> splat(T value) {
  return value - Vector<T>{};
}

/// a * b + c rounded once, whatever the compiler's contraction is.
inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__FMA__) && defined(SPEEDWELL_ISA_avx512)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__) && defined(SPEEDWELL_ISA_avx2)
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int l = 0; l < width<float>; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return a;
#endif
}
inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
#if defined(__FMA__) && defined(SPEEDWELL_ISA_avx512)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__) && defined(SPEEDWELL_ISA_avx2)
  return _mm256_fmadd_pd(a, b, c);
#else
  for (int l = 0; l < width<double>; ++l) a[l] = __builtin_fma(a[l], b[l], c[l]);
  return a;
#endif
}

template <int... Lane>
struct Lanes {};
template <int Width>
struct AllLanes;
template <>
struct AllLanes<2> {
  using type = Lanes<0, 1>;
};
template <>
struct AllLanes<4> {
  using type = Lanes<0, 1, 2, 3>;
};
template <>
struct AllLanes<8> {
  using type = Lanes<0, 1, 2, 3, 4, 5, 6, 7>;
};
template <>
struct AllLanes<16> {
  using type = Lanes<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
};

namespace detail {
// The two halves of 2 x 2 blocks change places: lanes with bit `Half` of a with those without of b.
template <int Half, class V, int... Lane>
inline void exchange(V& a, V& b, Lanes<Lane...>) {
  constexpr int count = sizeof...(Lane);
  const V low = __builtin_shufflevector(a, b, (Lane & Half ? count + Lane - Half : Lane)...);
  b = __builtin_shufflevector(a, b, (Lane & Half ? count + Lane : Lane + Half)...);
  a = low;
}
template <int Half, int Width, class V>
inline void transpose(V* rows) {
  if constexpr (Half > 0) {
    for (int r = 0; r < Width; ++r)
      if (!(r & Half)) exchange<Half>(rows[r], rows[r + Half], typename AllLanes<Width>::type{});
    transpose<Half / 2, Width>(rows);
  }
}
template <class V, int... Lane>
inline V shifted_in(V v, V in, Lanes<Lane...>) {
  constexpr int count = sizeof...(Lane);
  return __builtin_shufflevector(v, in, (Lane == 0 ? count : Lane - 1)...);
}
}  // namespace detail

/// rows[r][l] and rows[l][r] change places.
template <class T>
inline void transpose(Vector<T> (&rows)[width<T>]) {
  detail::transpose<width<T> / 2, width<T>>(rows);
}
/// Every lane takes the value of the lane before it, the first `value`.
template <class T>
inline Vector<T> shifted_in(Vector<T> v, T value) {
  return detail::shifted_in(v, splat(value), typename AllLanes<width<T>>::type{});
}

}  // namespace
}  // namespace speedwell::wavefront::simd

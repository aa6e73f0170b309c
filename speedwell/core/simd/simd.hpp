// Vectors as wide as the registers of the instruction set that a file is compiled for (speedwell_add_simd, isa.hpp), in
// the vector extension of GCC and clang, with the operations that its operators lack. Everything has internal linkage:
// the linker would otherwise keep one instruction set's copy of an inline function for all.
#pragma once

#include <utility>

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace speedwell::core::simd {
namespace {

#if defined(SPEEDWELL_ISA_avx512)
constexpr int vector_bytes = 64;
#elif defined(SPEEDWELL_ISA_avx2)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

namespace detail {
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};
}  // namespace detail

template <class T>
using Vector = typename detail::VectorOf<T>::type;
/// The number of lanes of a Vector<T>.
template <class T>
constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

/// Loads and stores of vectors at any element of an array.
template <class T>
inline Vector<T> load(const T* p) {
  Vector<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, Vector<T> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// A vector with `value` in every lane. (It is a difference, because a sum with 0 would turn -0 into 0.)
template <class T>
inline Vector<T> broadcast(T value) {
  return value - Vector<T>{};
}
/// A vector with the value l in lane l.
template <class V>
inline V iota() {
  V v;
  for (int l = 0; l < vector_bytes / static_cast<int>(sizeof v[0]); ++l) v[l] = static_cast<decltype(v[0] + 0)>(l);
  return v;
}

template <class V>
inline V max(V a, V b) {
  return a > b ? a : b;  // compiles to one instruction where there is one
}

/// a * b + c rounded once, independent of the compiler's contraction; one call per lane if there is no instruction for
/// it.
inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__FMA__) && defined(SPEEDWELL_ISA_avx512)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__) && defined(SPEEDWELL_ISA_avx2)
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int l = 0; l < width<float>; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return a;
#endif
}
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
#if defined(__FMA__) && defined(SPEEDWELL_ISA_avx512)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__) && defined(SPEEDWELL_ISA_avx2)
  return _mm256_fmadd_pd(a, b, c);
#else
  for (int l = 0; l < width<double>; ++l) a[l] = __builtin_fma(a[l], b[l], c[l]);
  return a;
#endif
}

namespace detail {
template <class T>
using Numbers = std::make_integer_sequence<int, width<T>>;

template <class V, int... Lane>
inline V pairwise_add(V x, V y, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(x, y, (2 * Lane)...) + __builtin_shufflevector(x, y, (2 * Lane + 1)...);
}
template <class V, int... Lane>
inline V shifted_in(V v, V in, std::integer_sequence<int, Lane...>) {
  constexpr int count = sizeof...(Lane);
  return __builtin_shufflevector(v, in, (Lane == 0 ? count : Lane - 1)...);
}
// Exchanges lanes with bit `Half` of a and lanes without it of b.
template <int Half, class V, int... Lane>
inline void exchange(V& a, V& b, std::integer_sequence<int, Lane...>) {
  constexpr int count = sizeof...(Lane);
  const V low = __builtin_shufflevector(a, b, (Lane & Half ? count + Lane - Half : Lane)...);
  b = __builtin_shufflevector(a, b, (Lane & Half ? count + Lane : Lane + Half)...);
  a = low;
}
template <class T, int Half>
inline void transpose(Vector<T>* rows) {
  if constexpr (Half > 0) {
    for (int r = 0; r < width<T>; ++r)
      if (!(r & Half)) exchange<Half>(rows[r], rows[r + Half], Numbers<T>{});
    transpose<T, Half / 2>(rows);
  }
}
}  // namespace detail

/// The sums of neighbouring lanes: those of x, then those of y.
template <class T>
inline Vector<T> pairwise_add(Vector<T> x, Vector<T> y) {
  return detail::pairwise_add(x, y, detail::Numbers<T>{});
}
/// Moves every value one lane up; the first lane becomes `value`.
template <class T>
inline Vector<T> shifted_in(Vector<T> v, T value) {
  return detail::shifted_in(v, broadcast(value), detail::Numbers<T>{});
}
/// Swaps rows[r][l] and rows[l][r].
template <class T>
inline void transpose(Vector<T> (&rows)[width<T>]) {
  detail::transpose<T, width<T> / 2>(rows);
}

}  // namespace
}  // namespace speedwell::core::simd

// Vector operations of the plane group kernel beyond those of core/simd.hpp: partial loads and stores at the ends of
// rows, and floors. Everything has internal linkage, as there.
#pragma once

#include <type_traits>

#include "speedwell/core/simd/simd.hpp"

namespace speedwell::wavefront::vectors {
namespace {

namespace simd = core::simd;
using simd::Vector;
using simd::width;

/// Loads and stores of elements first … last - 1 of a vector only; no other memory is accessed, and the other elements
/// of a loaded vector are zero. For floating-point numbers.
template <class T>
inline Vector<T> load_partial(const T* p, int first, int last) {
  static_assert(std::is_floating_point_v<T>);
#if defined(SPEEDWELL_ISA_avx512)
  const unsigned places = (1U << last) - (1U << first);
  if constexpr (sizeof(T) == sizeof(float))
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(places), p);
  else
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(places), p);
#else
  if (last - first == width<T>) return simd::load(p);
  Vector<T> v{};
  for (int l = first; l < last; ++l) v[l] = p[l];
  return v;
#endif
}
template <class T>
inline void store_partial(T* p, Vector<T> v, int first, int last) {
  static_assert(std::is_floating_point_v<T>);
#if defined(SPEEDWELL_ISA_avx512)
  const unsigned places = (1U << last) - (1U << first);
  if constexpr (sizeof(T) == sizeof(float))
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>(places), v);
  else
    _mm512_mask_storeu_pd(p, static_cast<__mmask8>(places), v);
#else
  if (last - first == width<T>) return simd::store(p, v);
  for (int l = first; l < last; ++l) p[l] = v[l];
#endif
}

/// The concatenation of a and b, shifted down by `first` lanes (0 … all). For floating-point numbers.
template <class T>
inline Vector<T> concatenate_shifted(Vector<T> a, Vector<T> b, int first) {
  static_assert(std::is_floating_point_v<T>);
#if defined(SPEEDWELL_ISA_avx512)
  if constexpr (sizeof(T) == sizeof(float)) {
    const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutex2var_ps(a, _mm512_add_epi32(order, _mm512_set1_epi32(first)), b);
  } else {
    const __m512i order = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutex2var_pd(a, _mm512_add_epi64(order, _mm512_set1_epi64(first)), b);
  }
#else
  T both[2 * width<T>];
  simd::store(both, a);
  simd::store(both + width<T>, b);
  return simd::load(both + first);
#endif
}

/// The floor of a * b, for a product that is exact and small. Available only if the instruction set supports it.
#if defined(SPEEDWELL_ISA_avx512)
constexpr bool has_floor = true;
// The addition of a number whose last place is worth 1 rounds the product down.
inline Vector<float> floor_of_product(Vector<float> a, Vector<float> b) {
  const __m512 ones = _mm512_set1_ps(0x1p23f);
  return _mm512_fmadd_round_ps(a, b, ones, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC) - ones;
}
inline Vector<double> floor_of_product(Vector<double> a, Vector<double> b) {
  const __m512d ones = _mm512_set1_pd(0x1p52);
  return _mm512_fmadd_round_pd(a, b, ones, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC) - ones;
}
#elif defined(SPEEDWELL_ISA_avx2)
constexpr bool has_floor = true;
inline Vector<float> floor_of_product(Vector<float> a, Vector<float> b) { return _mm256_floor_ps(a * b); }
inline Vector<double> floor_of_product(Vector<double> a, Vector<double> b) { return _mm256_floor_pd(a * b); }
#else
constexpr bool has_floor = false;
template <class V>
V floor_of_product(V, V) = delete;
#endif

}  // namespace
}  // namespace speedwell::wavefront::vectors

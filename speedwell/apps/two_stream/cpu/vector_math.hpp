// layer.hpp's Math for the vectors of one instruction set. Everything has internal linkage: the linker would otherwise
// keep one instruction set's copy of an inline function for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "speedwell/core/simd/simd.hpp"
#include "speedwell/numerics/streaming.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace speedwell::two_stream {
namespace {

template <class T>
struct ExpTerms;
template <>
struct ExpTerms<double> {
  using Bits = std::int64_t;
  static constexpr double least = -708, shift = 0x1.8p52, log2e = 0x1.71547652b82fep0;
  static constexpr double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
  static constexpr int degree = 13, exponent = 52;  // 0.35^14 / 14! is a thirtieth of a rounding error
};
template <>
struct ExpTerms<float> {
  using Bits = std::int32_t;
  static constexpr float least = -87, shift = 0x1.8p23f, log2e = 0x1.715476p0f;
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr int degree = 7, exponent = 23;
};

template <class T>
struct VectorMath {
  using Scalar = T;
  using Value = core::simd::Vector<T>;
  static constexpr int width = core::simd::width<T>;

  static Value broadcast(T value) { return core::simd::broadcast(value); }
  /// Lanes from `count` on repeat the first one.
  static Value load(const T* p, std::int64_t count) {
    if (count >= width) return core::simd::load(p);
    Value v = broadcast(p[0]);
    for (int l = 1; l < count; ++l) v[l] = p[l];
    return v;
  }
  static void store(T* p, Value v, std::int64_t count) {
    if (count >= width) return core::simd::store(p, v);
    for (int l = 0; l < count; ++l) p[l] = v[l];
  }
  template <class Mask>
  static Value select(Mask condition, Value yes, Value no) {
    return condition ? yes : no;
  }
  static Value sqrt(Value x) {
#if defined(SPEEDWELL_ISA_avx512)
    if constexpr (sizeof(T) == 8)
      return _mm512_maskz_sqrt_pd(0xff, x);  // the plain one warns in GCC 12
    else
      return _mm512_maskz_sqrt_ps(0xffff, x);
#elif defined(SPEEDWELL_ISA_avx2)
    if constexpr (sizeof(T) == 8)
      return _mm256_sqrt_pd(x);
    else
      return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 8)
      return _mm_sqrt_pd(x);
    else
      return _mm_sqrt_ps(x);
#else
    for (int l = 0; l < width; ++l) x[l] = __builtin_sqrt(x[l]);
    return x;
#endif
  }
  static Value reciprocal(Value x) { return T(1) / x; }
  /// A non-temporal store of a vector to an aligned address; not ordered with other stores before fence().
  static void stream(T* p, Value v) { numerics::streaming::store(p, v); }
  static void fence() { numerics::streaming::fence(); }
  /// e^x for x <= 0, within an ulp and a half; 0 below `least`, where f64 would be below 1e-307.
  static Value exp(Value x) {
    using E = ExpTerms<T>;
    using Bits = decltype(x < x);
    const Value within = x > E::least ? x : broadcast(E::least);
    const Value shifted = within * E::log2e + E::shift, n = shifted - E::shift;
    const Value r = within - n * E::ln2_high - n * E::ln2_low;
    constexpr auto over_factorial = [] {
      std::array<T, E::degree + 1> c{};
      double factorial = 1;
      for (int k = 0; k <= E::degree; ++k) {
        c[static_cast<std::size_t>(k)] = static_cast<T>(1 / factorial);
        factorial *= k + 1;
      }
      return c;
    }();
    Value sum = r * over_factorial[E::degree] + over_factorial[E::degree - 1];
#pragma GCC unroll 16
    for (int k = E::degree - 2; k >= 0; --k) sum = sum * r + over_factorial[static_cast<std::size_t>(k)];
    // The low bits of `shifted` are n; those of the constant are 0.
    const Bits power = reinterpret_cast<Bits>(shifted) << E::exponent;
    const Value result = reinterpret_cast<Value>(reinterpret_cast<Bits>(sum) + power);
    return x > E::least ? result : broadcast(0);
  }
};

}  // namespace
}  // namespace speedwell::two_stream

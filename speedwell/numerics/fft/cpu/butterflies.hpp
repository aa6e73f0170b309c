// Discrete Fourier transforms of 2 to 16 points on vectors, forward, in place. Everything has internal linkage, as in
// core/simd.hpp.
#pragma once

#include "speedwell/core/simd/simd.hpp"
#include "speedwell/numerics/fft/roots_of_unity.hpp"

namespace speedwell::fft::SPEEDWELL_ISA {
namespace {

/// Calls f.template operator()<k>() for k < N without a loop: arrays that are indexed by constants stay in registers.
template <int N, class F>
__attribute__((always_inline)) inline void each(F f) {
  [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) { (f.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, N>{});
}

template <class T>
struct Pair {  // a complex number in each lane
  core::simd::Vector<T> re, im;
};
template <class T>
inline Pair<T> operator+(Pair<T> a, Pair<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Pair<T> operator-(Pair<T> a, Pair<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
inline Pair<T> times(Pair<T> z, core::simd::Vector<T> re, core::simd::Vector<T> im) {
  return {z.re * re - z.im * im, z.re * im + z.im * re};
}
/// The product with -i.
template <class T>
inline Pair<T> times_minus_i(Pair<T> z) {
  return {z.im, -z.re};
}

constexpr double sqrt_half = 0.70710678118654752440;  // sqrt(1/2)
/// The products with e^{-pi i / 4} and e^{-3 pi i / 4}.
template <class T>
inline Pair<T> times_root_of_8(Pair<T> z) {
  const T c = static_cast<T>(sqrt_half);
  return {(z.re + z.im) * c, (z.im - z.re) * c};
}
template <class T>
inline Pair<T> times_cubed_root_of_8(Pair<T> z) {
  const T c = static_cast<T>(sqrt_half);
  return {(z.im - z.re) * c, -(z.re + z.im) * c};
}

template <class T>
inline void four(Pair<T>& x0, Pair<T>& x1, Pair<T>& x2, Pair<T>& x3) {
  const Pair<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = times_minus_i(x1 - x3);
  x0 = a + c, x1 = b + d, x2 = a - c, x3 = b - d;
}
template <class T>
inline void eight(Pair<T>& x0, Pair<T>& x1, Pair<T>& x2, Pair<T>& x3, Pair<T>& x4, Pair<T>& x5, Pair<T>& x6,
                  Pair<T>& x7) {
  four(x0, x2, x4, x6);
  four(x1, x3, x5, x7);
  x3 = times_root_of_8(x3), x5 = times_minus_i(x5), x7 = times_cubed_root_of_8(x7);
  const Pair<T> e0 = x0, e1 = x2, e2 = x4, e3 = x6, o0 = x1, o1 = x3, o2 = x5, o3 = x7;
  x0 = e0 + o0, x1 = e1 + o1, x2 = e2 + o2, x3 = e3 + o3;
  x4 = e0 - o0, x5 = e1 - o1, x6 = e2 - o2, x7 = e3 - o3;
}

/// Replaces x[k] by sum_j x[j] e^{-2 pi i j k / R}. Odd R use sums and differences of the inputs at conjugate roots.
template <int R>
struct Butterfly {
  template <class T>
  static void apply(Pair<T> (&x)[R]) {
    constexpr int half = R / 2;
    Pair<T> sum[half], difference[half];
    each<half>([&]<int J>() __attribute__((always_inline)) {
      sum[J] = x[J + 1] + x[R - 1 - J];
      difference[J] = x[J + 1] - x[R - 1 - J];
    });
    Pair<T> total = x[0];
    each<half>([&]<int J>() __attribute__((always_inline)) { total = total + sum[J]; });
    each<half>([&]<int K>() __attribute__((always_inline)) {
      Pair<T> even = x[0], odd{};
      each<half>([&]<int J>() __attribute__((always_inline)) {
        constexpr int power = (J + 1) * (K + 1) % R;
        constexpr T c = static_cast<T>(RootsOfUnity<R>::c[power]), s = static_cast<T>(RootsOfUnity<R>::s[power]);
        even = {even.re + sum[J].re * c, even.im + sum[J].im * c};
        odd = {odd.re + difference[J].re * s, odd.im + difference[J].im * s};
      });
      odd = times_minus_i(odd);
      x[K + 1] = even + odd;
      x[R - 1 - K] = even - odd;
    });
    x[0] = total;
  }
};
template <>
struct Butterfly<1> {
  template <class T>
  static void apply(Pair<T> (&)[1]) {}
};
template <>
struct Butterfly<2> {
  template <class T>
  static void apply(Pair<T> (&x)[2]) {
    const Pair<T> a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
  }
};
template <>
struct Butterfly<4> {
  template <class T>
  static void apply(Pair<T> (&x)[4]) {
    four(x[0], x[1], x[2], x[3]);
  }
};
template <>
struct Butterfly<8> {
  template <class T>
  static void apply(Pair<T> (&x)[8]) {
    eight(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  }
};

}  // namespace
}  // namespace speedwell::fft::SPEEDWELL_ISA

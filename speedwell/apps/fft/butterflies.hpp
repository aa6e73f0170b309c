// Discrete Fourier transforms of 2 to 16 points on vectors, forward, in place. Everything has internal linkage, as in
// core/simd.hpp.
#pragma once

#include "speedwell/core/simd.hpp"

namespace speedwell::fft::SPEEDWELL_ISA {
namespace {

/// f.template operator()<k>() for k < N, without a loop: arrays that are indexed by constants stay in registers.
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
/// Times -i.
template <class T>
inline Pair<T> quarter_turn(Pair<T> z) {
  return {z.im, -z.re};
}

constexpr double half_root = 0.70710678118654752440;  // sqrt(1/2)
/// Times e^{-pi i / 4} and e^{-3 pi i / 4}.
template <class T>
inline Pair<T> eighth_turn(Pair<T> z) {
  const T c = static_cast<T>(half_root);
  return {(z.re + z.im) * c, (z.im - z.re) * c};
}
template <class T>
inline Pair<T> three_eighths_turn(Pair<T> z) {
  const T c = static_cast<T>(half_root);
  return {(z.im - z.re) * c, -(z.re + z.im) * c};
}

template <class T>
inline void four(Pair<T>& x0, Pair<T>& x1, Pair<T>& x2, Pair<T>& x3) {
  const Pair<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = quarter_turn(x1 - x3);
  x0 = a + c, x1 = b + d, x2 = a - c, x3 = b - d;
}
template <class T>
inline void eight(Pair<T>& x0, Pair<T>& x1, Pair<T>& x2, Pair<T>& x3, Pair<T>& x4, Pair<T>& x5, Pair<T>& x6,
                  Pair<T>& x7) {
  four(x0, x2, x4, x6);
  four(x1, x3, x5, x7);
  x3 = eighth_turn(x3), x5 = quarter_turn(x5), x7 = three_eighths_turn(x7);
  const Pair<T> e0 = x0, e1 = x2, e2 = x4, e3 = x6, o0 = x1, o1 = x3, o2 = x5, o3 = x7;
  x0 = e0 + o0, x1 = e1 + o1, x2 = e2 + o2, x3 = e3 + o3;
  x4 = e0 - o0, x5 = e1 - o1, x6 = e2 - o2, x7 = e3 - o3;
}

/// cos and sin of 2 pi j / R for j < R.
template <int R>
struct Circle;
template <>
struct Circle<3> {
  static constexpr double c[] = {1, -0.5, -0.5};
  static constexpr double s[] = {0, 0.86602540378443864676, -0.86602540378443864676};
};
template <>
struct Circle<5> {
  static constexpr double c[] = {1.0, 0.3090169943749474241, -0.8090169943749474241, -0.8090169943749474241,
                                 0.3090169943749474241};
  static constexpr double s[] = {0.0, 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917,
                                 -0.95105651629515357212};
};
template <>
struct Circle<7> {
  static constexpr double c[] = {1.0,
                                 0.62348980185873353053,
                                 -0.22252093395631440429,
                                 -0.90096886790241912624,
                                 -0.90096886790241912624,
                                 -0.22252093395631440429,
                                 0.62348980185873353053};
  static constexpr double s[] = {0.0,
                                 0.78183148246802980871,
                                 0.97492791218182360702,
                                 0.43388373911755812048,
                                 -0.43388373911755812048,
                                 -0.97492791218182360702,
                                 -0.78183148246802980871};
};
template <>
struct Circle<11> {
  static constexpr double c[] = {1.0,
                                 0.84125353283118116886,
                                 0.41541501300188642553,
                                 -0.14231483827328514044,
                                 -0.65486073394528506406,
                                 -0.95949297361449738989,
                                 -0.95949297361449738989,
                                 -0.65486073394528506406,
                                 -0.14231483827328514044,
                                 0.41541501300188642553,
                                 0.84125353283118116886};
  static constexpr double s[] = {0.0,
                                 0.54064081745559758211,
                                 0.90963199535451837141,
                                 0.98982144188093273238,
                                 0.75574957435425828377,
                                 0.28173255684142969771,
                                 -0.28173255684142969771,
                                 -0.75574957435425828377,
                                 -0.98982144188093273238,
                                 -0.90963199535451837141,
                                 -0.54064081745559758211};
};
template <>
struct Circle<13> {
  static constexpr double c[] = {1.0,
                                 0.8854560256532098959,
                                 0.56806474673115580251,
                                 0.12053668025532305335,
                                 -0.35460488704253562597,
                                 -0.74851074817110109863,
                                 -0.97094181742605202716,
                                 -0.97094181742605202716,
                                 -0.74851074817110109863,
                                 -0.35460488704253562597,
                                 0.12053668025532305335,
                                 0.56806474673115580251,
                                 0.8854560256532098959};
  static constexpr double s[] = {0.0,
                                 0.46472317204376854566,
                                 0.82298386589365639458,
                                 0.9927088740980539928,
                                 0.93501624268541482344,
                                 0.66312265824079520238,
                                 0.23931566428755776715,
                                 -0.23931566428755776715,
                                 -0.66312265824079520238,
                                 -0.93501624268541482344,
                                 -0.9927088740980539928,
                                 -0.82298386589365639458,
                                 -0.46472317204376854566};
};

/// x[k] becomes sum_j x[j] e^{-2 pi i j k / R}. For odd R by the sums and differences of conjugate roots.
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
        constexpr int turn = (J + 1) * (K + 1) % R;
        constexpr T c = static_cast<T>(Circle<R>::c[turn]), s = static_cast<T>(Circle<R>::s[turn]);
        even = {even.re + sum[J].re * c, even.im + sum[J].im * c};
        odd = {odd.re + difference[J].re * s, odd.im + difference[J].im * s};
      });
      odd = quarter_turn(odd);
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

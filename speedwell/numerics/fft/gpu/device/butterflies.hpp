// Forward discrete Fourier transforms of 2 to 16 points in the registers of one thread, in place and in natural order.
#pragma once

#include <utility>

#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/roots_of_unity.hpp"

namespace speedwell::fft::gpu {
namespace detail {

/// Calls f.template operator()<k>() for k < N: arrays that are indexed by constants stay in registers.
template <int N, class F>
SPEEDWELL_HD
constexpr void each(F f) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (f.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, N>{});
}

/// The product with e^{-2 pi i j / 16}.
template <int j, class T>
SPEEDWELL_HD
constexpr Complex<T> times_root_of_16(Complex<T> z) {
  // cosine and sine of pi / 8
  constexpr T c = static_cast<T>(0.92387953251128675613), s = static_cast<T>(0.38268343236508977173);
  constexpr T h = static_cast<T>(0.70710678118654752440);
  if constexpr (j == 0) return z;
  if constexpr (j == 1) return z * Complex<T>{c, -s};
  if constexpr (j == 2) return {(z.re + z.im) * h, (z.im - z.re) * h};
  if constexpr (j == 3) return z * Complex<T>{s, -c};
  if constexpr (j >= 4) return times_root_of_16<j - 4>(times_minus_i(z));
}

template <class T>
SPEEDWELL_HD
constexpr void four(Complex<T>& x0, Complex<T>& x1, Complex<T>& x2, Complex<T>& x3) {
  const Complex<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = times_minus_i(x1 - x3);
  x0 = a + c, x1 = b + d, x2 = a - c, x3 = b - d;
}

/// The k < A B with k mod A = a and k mod B = b.
template <int A, int B>
SPEEDWELL_HD
constexpr int with_remainders(int a, int b) {
  int k = a;
  while (k % B != b) k += A;
  return k;
}

/// A transform of A B points with coprime A and B: B-point transforms, then A-point ones, without twiddles (Good 1958).
template <int A, int B, template <int> class Butterfly, class T>
SPEEDWELL_HD
void coprime(Complex<T> (&x)[A * B]) {
  Complex<T> y[A * B];
  each<A>([&]<int N>() {
    Complex<T> z[B];
    each<B>([&]<int M>() { z[M] = x[(B * N + A * M) % (A * B)]; });
    Butterfly<B>::apply(z);
    each<B>([&]<int K>() { y[N * B + K] = z[K]; });
  });
  each<B>([&]<int K>() {
    Complex<T> z[A];
    each<A>([&]<int N>() { z[N] = y[N * B + K]; });
    Butterfly<A>::apply(z);
    each<A>([&]<int M>() { x[with_remainders<A, B>(M, K)] = z[M]; });
  });
}

}  // namespace detail

/// Replaces x[k] by sum_j x[j] e^{-2 pi i j k / R}. Odd R use sums and differences of the inputs at conjugate roots.
template <int R>
struct Butterfly {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[R]) {
    constexpr int half = R / 2;
    Complex<T> sum[half], difference[half];
    Complex<T> total = x[0];
    detail::each<half>([&]<int J>() {
      sum[J] = x[J + 1] + x[R - 1 - J];
      difference[J] = x[J + 1] - x[R - 1 - J];
      total = total + sum[J];
    });
    detail::each<half>([&]<int K>() {
      Complex<T> even = x[0], odd{};
      detail::each<half>([&]<int J>() {
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
  SPEEDWELL_HD
  static void apply(Complex<T> (&)[1]) {}
};
template <>
struct Butterfly<2> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[2]) {
    const Complex<T> a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
  }
};
template <>
struct Butterfly<4> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[4]) { detail::four(x[0], x[1], x[2], x[3]); }
};
template <>
struct Butterfly<6> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[6]) { detail::coprime<3, 2, Butterfly>(x); }
};
template <>
struct Butterfly<10> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[10]) { detail::coprime<5, 2, Butterfly>(x); }
};
template <>
struct Butterfly<8> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[8]) {
    detail::four(x[0], x[2], x[4], x[6]);
    detail::four(x[1], x[3], x[5], x[7]);
    const Complex<T> even[4] = {x[0], x[2], x[4], x[6]};
    const Complex<T> odd[4] = {x[1], detail::times_root_of_16<2>(x[3]), times_minus_i(x[5]),
                               detail::times_root_of_16<6>(x[7])};
    for (int k = 0; k < 4; ++k) x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k];
  }
};
template <>
struct Butterfly<16> {
  template <class T>
  SPEEDWELL_HD
  static void apply(Complex<T> (&x)[16]) {
    for (int j = 0; j < 4; ++j) detail::four(x[j], x[j + 4], x[j + 8], x[j + 12]);
    Complex<T> y[16];
    detail::each<16>([&]<int I>() { y[I] = detail::times_root_of_16<(I % 4) * (I / 4)>(x[I]); });
    for (int k = 0; k < 4; ++k) {
      detail::four(y[4 * k], y[4 * k + 1], y[4 * k + 2], y[4 * k + 3]);
      for (int m = 0; m < 4; ++m) x[k + 4 * m] = y[4 * k + m];
    }
  }
};

}  // namespace speedwell::fft::gpu

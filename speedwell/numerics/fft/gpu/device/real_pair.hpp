// Conversion between two bins of a row of n = 2h reals and two bins of its transform as h pairs.
#pragma once

#include "speedwell/numerics/fft/gpu/device/complex.hpp"

namespace speedwell::fft::gpu {

template <class T>
struct BinPair {
  Complex<T> low, high;  // bins k and h - k, 0 <= k <= h / 2
};

/// With Z the transform of x[2j] + i x[2j+1], the transforms of the even and the odd reals are E = (Z[k] + conj Z[h-k])
/// / 2 and O = (Z[k] - conj Z[h-k]) / 2i; X[k] = E + w^k O and X[h-k] = conj(E - w^k O), w = e^{-2 pi i / n}. Z[h] is
/// Z[0].
template <class T>
SPEEDWELL_HD
constexpr BinPair<T> unpacked(Complex<T> low, Complex<T> high, Complex<T> root) {
  const Complex<T> sum = low + conj(high), difference = times_minus_i(low - conj(high));
  const T half = 0.5;
  const Complex<T> even{half * sum.re, half * sum.im};
  const Complex<T> odd = root * Complex<T>{half * difference.re, half * difference.im};
  return {even + odd, conj(even - odd)};
}

/// Twice the Z of given X: its backward transform is n times the reals. At k = 0 the imaginary parts of X[0] and X[h]
/// must be 0, and `high` is meaningless.
template <class T>
SPEEDWELL_HD
constexpr BinPair<T> packed(Complex<T> low, Complex<T> high, Complex<T> root) {
  const Complex<T> even = low + conj(high), odd = times_minus_i(conj(root) * (low - conj(high)));  // -i times O
  return {even - odd, conj(even + odd)};
}

}  // namespace speedwell::fft::gpu

// Roots of unity for the tables of all transforms.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace speedwell::fft {

/// e^{-2 pi i j / n} for 0 <= j < n, rounded once from extended precision. It is computed from sine and cosine of an
/// angle that is reduced in integers, because repeated products lose digits as n grows.
template <class T>
std::complex<T> twiddle(std::int64_t j, std::int64_t n) {
  const std::int64_t quarters = (4 * j + n / 2) / n;  // the nearest axis; the remaining angle is at most pi/4
  const auto rest = static_cast<long double>(4 * j - quarters * n);
  const long double angle = std::numbers::pi_v<long double> / 2 * (rest / static_cast<long double>(n));
  const auto c = static_cast<T>(std::cos(angle)), s = static_cast<T>(std::sin(angle));
  switch (quarters % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

}  // namespace speedwell::fft

// Lines of points in an array, along an axis of a field or side by side in a work space, and their transforms as the
// 2018 study has them. All extents are powers of two. Host and device code.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::npb::ft {

/// 2^log_inner lines of 2^log_n points whose first points are neighbours, as are their second ones and so on; then as
/// many more. That is an axis inside of which 2^log_inner points lie.
struct Lines {
  int log_n, log_inner;

  /// Where point e of a line lies.
  SPEEDWELL_HD
  constexpr std::int64_t place(std::int64_t line, std::int64_t e) const {
    return (((line >> log_inner << log_n) + e) << log_inner) + (line & ((std::int64_t{1} << log_inner) - 1));
  }
  /// The point of its line, and the line, that lie at `place`.
  SPEEDWELL_HD
  constexpr std::int64_t point_at(std::int64_t place) const {
    return place >> log_inner & ((std::int64_t{1} << log_n) - 1);
  }
  SPEEDWELL_HD
  constexpr std::int64_t line_at(std::int64_t place) const {
    return (place >> (log_inner + log_n) << log_inner) + (place & ((std::int64_t{1} << log_inner) - 1));
  }
};

/// Stockham's algorithm of radix 2 on one line of `lines`, the first point of which `a` is in one array and `b` in
/// another: log_n passes from one to the other and back, so that the result is where `a` is if these are even. Complex
/// has reals x and y; root(k) is e^{-2 pi i k / 2^log_n}.
template <class Complex, class Root>
SPEEDWELL_HD
void stockham(const Lines& lines, Complex* a, Complex* b, const Root& root, bool backward) {
  const std::int64_t next = std::int64_t{1} << lines.log_inner;
  for (std::int64_t half = std::int64_t{1} << lines.log_n >> 1, stride = 1; half > 0; half /= 2, stride *= 2) {
    for (std::int64_t p = 0; p < half; ++p) {
      const Complex w = root(p * stride);
      const double cosine = w.x, sine = backward ? -w.y : w.y;
      for (std::int64_t q = stride * p; q < stride * (p + 1); ++q) {
        const Complex first = a[q * next], second = a[(q + stride * half) * next];
        const double x = first.x - second.x, y = first.y - second.y;
        Complex* const to = b + (q + stride * p) * next;
        to[0] = {first.x + second.x, first.y + second.y};
        to[stride * next] = {x * cosine - y * sine, x * sine + y * cosine};
      }
    }
    Complex* const written = b;
    b = a;
    a = written;
  }
}

/// Throws std::invalid_argument as require_valid() and for extents that are not powers of two.
void require_powers_of_two(const Problem& problem);

/// e^{-2 pi i k / n} for k < n / 2, and at least for k = 0.
std::vector<std::complex<double>> roots_of(std::int64_t n);

}  // namespace speedwell::npb::ft

// Layouts of lines along an axis of a field or interleaved in a work space, and the transforms of the 2018 study. All
// extents are powers of two. Host and device code.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::npb::ft {

/// Groups of 2^log_inner interleaved lines of 2^log_n points: equal points of the lines of a group are contiguous. This
/// is an axis with an inner extent of 2^log_inner points.
struct Lines {
  int log_n, log_inner;

  /// The index in the array of point e of a line.
  SPEEDWELL_HD
  constexpr std::int64_t index(std::int64_t line, std::int64_t e) const {
    return (((line >> log_inner << log_n) + e) << log_inner) + (line & ((std::int64_t{1} << log_inner) - 1));
  }
  /// The inverse of index(): the point and the line of an index.
  SPEEDWELL_HD
  constexpr std::int64_t point_at(std::int64_t index) const {
    return index >> log_inner & ((std::int64_t{1} << log_n) - 1);
  }
  SPEEDWELL_HD
  constexpr std::int64_t line_at(std::int64_t index) const {
    return (index >> (log_inner + log_n) << log_inner) + (index & ((std::int64_t{1} << log_inner) - 1));
  }
};

/// Stockham's radix-2 algorithm on one line of `lines`; `a` and `b` are the addresses of its first point in two arrays.
/// It makes log_n passes from one array to the other in turn, so that the result is in the array of `a` if log_n is
/// even. Complex has members x and y; root(k) is e^{-2 pi i k / 2^log_n}.
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

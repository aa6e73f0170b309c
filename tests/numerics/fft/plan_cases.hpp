// Inputs of the tests of plans on host and device: lengths, arrays, and the required accuracy.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "speedwell/numerics/fft/fft.hpp"
#include "tests/numerics/fft/support.hpp"

namespace speedwell::fft {

/// The accuracy that all must have: in f64 4e-16 log2 N, a bound that a recurrence for twiddles does not keep; the
/// same multiple of epsilon in f32. A transform of one or two points may round once.
template <class T>
double bound(std::int64_t points) {
  return 4e-16 / 2.2e-16 * std::numeric_limits<T>::epsilon() * std::max(1.0, std::log2(static_cast<double>(points)));
}

/// Lengths: all small ones, every power of two, three, five and seven, primes, and numbers around powers of two.
inline std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> n;
  for (std::int64_t i = 1; i <= 300; ++i) n.push_back(i);
  for (const std::int64_t base : {2, 3, 5, 7, 11, 13, 17})
    for (std::int64_t p = base; p <= 70000; p *= base) n.push_back(p);
  for (std::int64_t p = 512; p <= 4096; p *= 2) n.insert(n.end(), {p - 3, p - 1, p + 1, p + 3});
  for (std::int64_t i = 301; i <= 4096; i += 29) n.push_back(i);
  n.insert(n.end(), {8191, 10007, 9973, 30030, 46656, 65521, 100000, 65536 + 2, 123457, 3 << 16, 1 << 18});
  return n;
}

// Planes for every thread and fewer, axes shorter than a vector, primes, batches that end within one.
inline const Shape shapes[] = {
    {{1}, 1},          {{16}, 1},        {{16}, 7},         {{5}, 100},        {{100}, 33},      {{37}, 17},
    {{1024}, 9},       {{4099}, 16},     {{10000}, 3},      {{20000}, 4},      {{1, 1}, 1},      {{1, 9}, 2},
    {{9, 1}, 2},       {{8, 8}, 1},      {{12, 10}, 5},     {{64, 48}, 1},     {{7, 100}, 3},    {{100, 7}, 3},
    {{31, 127}, 1},    {{2, 20000}, 1},  {{20000, 2}, 1},   {{37, 41}, 4},     {{1, 1, 1}, 1},   {{8, 8, 8}, 1},
    {{16, 16, 16}, 2}, {{6, 10, 12}, 1}, {{17, 19, 23}, 1}, {{2, 3, 5}, 11},   {{1, 33, 34}, 3}, {{33, 1, 34}, 1},
    {{33, 34, 1}, 1},  {{3, 4, 65}, 2},  {{64, 32, 40}, 1}, {{1, 300, 600}, 1}};

/// The oracle's transform of every array of the batch.
inline std::vector<reference::Complex> transformed(std::vector<reference::Complex> x, const Shape& shape,
                                                   bool backward) {
  const auto points = x.size() / static_cast<std::size_t>(shape.batch);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    const auto one = std::span(x).subspan(b * points, points);
    backward ? reference::backward(one, shape.extents) : reference::forward(one, shape.extents);
  }
  return x;
}

inline std::string name(const Shape& shape) {
  std::string text = std::to_string(shape.batch) + " of";
  for (const auto n : shape.extents) text.append(" ").append(std::to_string(n));
  return text;
}

}  // namespace speedwell::fft

// Transforms of lines whose length is a product of 2, 3, 5, 7, 11 and 13 by the threads of a block: the passes of
// line.hpp with radices known at run time. A thread computes one butterfly after the other; points are in shared memory
// between passes.
#pragma once

#include <cstdint>

#include "speedwell/numerics/fft/gpu/device/butterflies.hpp"

namespace speedwell::fft::gpu {

/// Division of numbers below 2^16 by a constant below 2^16, by a multiplication.
struct Divisor {
  std::int32_t divisor = 1;
  std::uint64_t inverse = std::uint64_t{1} << 32;  // rounded up

  Divisor() = default;
  explicit Divisor(int d) : divisor(d), inverse(((std::uint64_t{1} << 32) + d - 1) / d) {}
  SPEEDWELL_HD
  int quotient(int x) const { return static_cast<int>(static_cast<std::uint64_t>(x) * inverse >> 32); }
};

/// A pass of a line with s points transformed so far.
struct SmoothPass {
  int radix = 1;
  int table = 0;  // offset of its twiddles: e^{-2 pi i q k / (s radix)} for 0 < k < radix, each for q < s
  Divisor butterflies, s;

  /// For butterfly t: the index in the line of input j, the q of its twiddles, and the index of output k.
  SPEEDWELL_HD
  int from(int t, int j) const { return t + j * butterflies.divisor; }
  SPEEDWELL_HD
  int q(int t) const { return t - s.quotient(t) * s.divisor; }
  SPEEDWELL_HD
  int to(int t, int q, int k) const { return q + s.divisor * k + (t - q) * radix; }
};

struct SmoothLine {
  static constexpr int max_passes = 8;
  int n = 1;
  int passes = 0;
  SmoothPass pass[max_passes];
  /// The pitch of lines in shared memory; odd, so that the same point of neighbouring lines is in another bank.
  SPEEDWELL_HD
  int pitch() const { return n | 1; }
};

/// The largest radix of the kernels for common lengths; lengths with factors 11 or 13 have kernels that use more
/// registers.
constexpr int max_small_radix = 10, max_radix = 13;

/// The line of a block and the butterfly of a pass that are a thread's `item`: neighbouring threads compute
/// neighbouring butterflies of a row, or the same one of neighbouring columns.
struct SmoothItem {
  int line, t;
};
SPEEDWELL_HD
inline SmoothItem smooth_item(const SmoothPass& pass, const Divisor& lines, bool rows, int item) {
  if (rows) {
    const int line = pass.butterflies.quotient(item);
    return {line, item - line * pass.butterflies.divisor};
  }
  const int t = lines.quotient(item);
  return {item - t * lines.divisor, t};
}

/// Twiddles and butterfly of a pass.
template <int R, class T>
SPEEDWELL_HD
void smooth_butterfly(Complex<T> (&x)[R], int s, int q, const Complex<T>* table) {
  if (s > 1)
    for (int k = 1; k < R; ++k) x[k] = x[k] * table[(k - 1) * s + q];
  Butterfly<R>::apply(x);
}

/// Calls f.template operator()<R>() with R = radix, where R is at most the template argument.
template <int radix_limit, class F>
SPEEDWELL_HD
void with_radix(int radix, F f) {
  switch (radix) {
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    case 6:
      return f.template operator()<6>();
    case 7:
      return f.template operator()<7>();
    case 8:
      return f.template operator()<8>();
    case 9:
      return f.template operator()<9>();
    case 10:
      return f.template operator()<10>();
    default:
      break;
  }
  if constexpr (radix_limit >= 13) {
    if (radix == 11) f.template operator()<11>();
    if (radix == 13) f.template operator()<13>();
  }
}

}  // namespace speedwell::fft::gpu

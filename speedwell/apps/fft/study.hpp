// The five one-dimensional algorithms of the dissertation's section 5.5, as they are taught: serial, powers of two,
// every transform with its reversal of digits first or last. For comparison; fft.hpp has what a program should use.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/apps/fft/direction.hpp"

namespace speedwell::fft {

enum class Algorithm {
  recursive,       // decimation in time by recursion on the even and the odd elements, out of place
  radix2,          // decimation in frequency, reordered at the end
  radix4,          // the same by four-point butterflies and base-4 digits: powers of four
  bit_reversed_1,  // reversed first; butterfly position outermost, twiddles fetched with a stride from one table
  bit_reversed_2,  // reversed first; contiguous inner loops, a contiguous table of twiddles for each stage
};
inline constexpr Algorithm algorithms[] = {Algorithm::recursive, Algorithm::radix2, Algorithm::radix4,
                                           Algorithm::bit_reversed_1, Algorithm::bit_reversed_2};
std::string_view to_string(Algorithm algorithm);
/// Whether it can transform n points: a power of two, of four for radix4.
bool supports(Algorithm algorithm, std::int64_t n);

/// A transform of n points by one of the algorithms, with its tables. Unscaled.
template <class T>
class StudyTransform {
 public:
  /// Throws std::invalid_argument for an n that the algorithm does not support.
  StudyTransform(Algorithm algorithm, std::int64_t n, Direction direction = Direction::forward);
  /// out = transform of in: n points each, in natural order, which must not overlap (std::invalid_argument).
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;

 private:
  using Complex = std::complex<T>;

  void recursive(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n) const;
  void radix2(Complex* x) const;
  void radix4(Complex* x) const;
  void bit_reversed_1(Complex* x) const;
  void bit_reversed_2(Complex* x) const;
  Complex quarter_turn(Complex z) const;  // times -i forward, times i backward

  Algorithm algorithm_;
  std::int64_t n_;
  Direction direction_;
  std::vector<Complex> twiddles_;       // w^j of the whole n, for bit_reversed_2 one stage after the other
  std::vector<std::int64_t> reversed_;  // of the index in base 2 or 4
};

}  // namespace speedwell::fft

// The five one-dimensional algorithms of the dissertation's section 5.5, in their textbook form: serial, powers of two,
// with a digit reversal before or after every transform. They are for comparison; programs should use fft.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/numerics/fft/direction.hpp"
#include "speedwell/numerics/fft/fft.hpp"
#include "speedwell/numerics/fft/traffic.hpp"

namespace speedwell::fft {

enum class Algorithm {
  recursive,       // decimation in time by recursion on the even and the odd elements, out of place
  radix2,          // decimation in frequency, digit reversal at the end
  radix4,          // as radix2 with four-point butterflies and base-4 digits: powers of four
  bit_reversed_1,  // bit reversal first; butterfly position outermost, twiddles read with a stride from one table
  bit_reversed_2,  // bit reversal first; contiguous inner loops, a contiguous table of twiddles for each stage
};
inline constexpr Algorithm algorithms[] = {Algorithm::recursive, Algorithm::radix2, Algorithm::radix4,
                                           Algorithm::bit_reversed_1, Algorithm::bit_reversed_2};
std::string_view to_string(Algorithm algorithm);
/// Whether the algorithm can transform n points: a power of two, or of four for radix4.
bool supports(Algorithm algorithm, std::int64_t n);

/// An unscaled transform of n points by one of the algorithms, with its tables.
template <class T>
class StudyTransform {
 public:
  /// Throws std::invalid_argument for an n that the algorithm does not support.
  StudyTransform(Algorithm algorithm, std::int64_t n, Direction direction = Direction::forward);
  /// out = transform of in, n points each in natural order. Throws std::invalid_argument if in and out overlap.
  void execute(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;

 private:
  using Complex = std::complex<T>;

  void recursive(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n) const;
  void radix2(Complex* x) const;
  void radix4(Complex* x) const;
  void bit_reversed_1(Complex* x) const;
  void bit_reversed_2(Complex* x) const;
  Complex times_root_of_4(Complex z) const;  // times -i forward, times i backward

  Algorithm algorithm_;
  std::int64_t n_;
  Direction direction_;
  // w^j for all j < n; for bit_reversed_2, the tables of the stages one after the other
  std::vector<Complex> twiddles_;
  std::vector<std::int64_t> reversed_;  // digit reversal of the index in base 2 or 4
};

/// The bytes of a StudyTransform for every transform of a batch in one dimension: a pass for every stage, and those of
/// the copy and the reordering. The stages of the recursive algorithm stay in whatever cache holds their subproblem:
/// the minimum number of passes.
Traffic study_traffic(Algorithm algorithm, const Shape& shape, std::size_t real_bytes);

}  // namespace speedwell::fft

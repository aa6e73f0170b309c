// ExactSum: a sum of doubles without rounding, so that neither the order of the terms nor their division among threads,
// ranks or devices changes a bit of it. A fixed-point number that spans the range of double, in limbs of 32 bits with
// room for carries ("small superaccumulator": R. M. Neal, Fast exact summation using small and large superaccumulators,
// arXiv:1505.05571, 2015). An addition takes about four times as long as one of doubles.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace speedwell::core {

class ExactSum {
 public:
  static constexpr int limbs = 68;  // 2^-1074 to 2^1024, 53 bits from each of these on, and the carries of 2^63 terms

  void add(double term) {
    const auto bits = std::bit_cast<std::uint64_t>(term);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
      not_finite_ += term;
      return;
    }
    std::uint64_t mantissa = bits & 0xfffffffffffff;
    if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
    const int position = exponent == 0 ? 0 : exponent - 1;  // of the mantissa's lowest bit
    const int shift = position & 31;
    const std::uint64_t low = mantissa << shift, high = shift == 0 ? 0 : mantissa >> (64 - shift);
    const auto sign = static_cast<std::int64_t>(bits) < 0 ? std::int64_t{-1} : std::int64_t{1};
    std::int64_t* const limb = &limbs_[static_cast<std::size_t>(position >> 5)];
    limb[0] += sign * static_cast<std::int64_t>(low & 0xffffffff);
    limb[1] += sign * static_cast<std::int64_t>(low >> 32);
    limb[2] += sign * static_cast<std::int64_t>(high);
    if (++terms_ == max_terms) carry();
  }
  void add(std::span<const double> terms) {
    for (const double term : terms) add(term);
  }
  void add(const ExactSum& other) {
    carry();
    ExactSum carried = other;
    carried.carry();
    for (std::size_t i = 0; i < limbs_.size(); ++i) limbs_[i] += carried.limbs_[i];
    not_finite_ += other.not_finite_;
    terms_ = 2;
  }

  /// The double next to the sum, ties to even; an infinity beyond the range of double. If a term was not finite, the
  /// sum of those that were not. The sum of no terms is 0.
  double value() const;

  /// For a reduction over ranks: the sum of the limbs of up to 2^30 sums, each after carry(), are those of their sum.
  /// What was not finite is not in them.
  std::array<std::int64_t, limbs>& carried() {
    carry();
    return limbs_;
  }
  double not_finite() const { return not_finite_; }
  void set_not_finite(double sum) { not_finite_ = sum; }

 private:
  static constexpr std::int64_t max_terms = std::int64_t{1} << 30;  // each adds less than 2^32 to a limb
  void carry();

  std::array<std::int64_t, limbs> limbs_{};
  std::int64_t terms_ = 0;
  double not_finite_ = 0;
};

}  // namespace speedwell::core

#include "speedwell/core/compare.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::core {
namespace {

template <class T>
void require_same_size(std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size())
    throw std::invalid_argument("comparing " + std::to_string(a.size()) + " elements with " + std::to_string(b.size()));
}

template <class T>
double relative_l2_of(std::span<const T> expected, std::span<const T> got) {
  require_same_size(expected, got);
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = static_cast<double>(got[i]) - static_cast<double>(expected[i]);
    difference += d * d;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

template <class T>
double max_difference_of(std::span<const T> expected, std::span<const T> got) {
  require_same_size(expected, got);
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(d <= largest)) largest = d;  // also true for NaN, which then stays
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

// Maps the bits of a float to integers in the order of the values: negative numbers count down from zero.
template <class T, class Bits>
std::uint64_t ulp_distance_of(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::uint64_t>::max();
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto ordered = [](T value) -> std::uint64_t {
    const Bits bits = std::bit_cast<Bits>(value);
    return (bits & sign) ? std::uint64_t{sign} - (bits & ~sign) : std::uint64_t{sign} + bits;
  };
  const std::uint64_t x = ordered(a), y = ordered(b);
  return x > y ? x - y : y - x;
}

template <class T>
std::uint64_t max_ulp_distance_of(std::span<const T> expected, std::span<const T> got) {
  require_same_size(expected, got);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) largest = std::max(largest, ulp_distance(expected[i], got[i]));
  return largest;
}

}  // namespace

double relative_l2(std::span<const double> e, std::span<const double> g) { return relative_l2_of(e, g); }
double relative_l2(std::span<const float> e, std::span<const float> g) { return relative_l2_of(e, g); }
double max_difference(std::span<const double> e, std::span<const double> g) { return max_difference_of(e, g); }
double max_difference(std::span<const float> e, std::span<const float> g) { return max_difference_of(e, g); }
std::uint64_t ulp_distance(double a, double b) { return ulp_distance_of<double, std::uint64_t>(a, b); }
std::uint64_t ulp_distance(float a, float b) { return ulp_distance_of<float, std::uint32_t>(a, b); }
std::uint64_t max_ulp_distance(std::span<const double> e, std::span<const double> g) {
  return max_ulp_distance_of(e, g);
}
std::uint64_t max_ulp_distance(std::span<const float> e, std::span<const float> g) { return max_ulp_distance_of(e, g); }

}  // namespace speedwell::core

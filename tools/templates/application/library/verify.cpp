// The tolerance. An element of a variant has two roundings, of the product and of the sum, or a single one if they are
// fused; the expected value has one in f64. With M = |a x| + |y| and the unit roundoff u of the vectors, the product
// is off by at most u M, the sum by at most u M (1 + u), and the expected value by at most u M. Three units and a
// little are rounded up to 4.
#include "speedwell/apps/new_application/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace speedwell::new_application {

template <class T>
core::Verdict verify(T a, std::span<const T> x, std::span<const T> y, std::span<const double> expected,
                     std::span<const T> z) {
  constexpr const char* oracle = "a x + y rounded once, largest difference in roundings of |a x| + |y|";
  constexpr double tolerance = 4, u = std::numeric_limits<T>::epsilon() / 2;
  if (z.size() != expected.size()) return {false, std::numeric_limits<double>::infinity(), tolerance, oracle};
  double largest = 0;
  bool not_a_number = false;
#pragma omp parallel for reduction(max : largest) reduction(|| : not_a_number)
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double difference = std::abs(static_cast<double>(z[i]) - expected[i]);
    const double magnitude = std::abs(static_cast<double>(a) * static_cast<double>(x[i])) + std::abs(y[i]);
    not_a_number = not_a_number || std::isnan(difference);
    if (difference > 0) largest = std::max(largest, difference / (u * magnitude));
  }
  if (not_a_number) largest = std::numeric_limits<double>::quiet_NaN();
  return core::Verdict::from_error(largest, tolerance, oracle);
}

template core::Verdict verify(double, std::span<const double>, std::span<const double>, std::span<const double>,
                              std::span<const double>);
template core::Verdict verify(float, std::span<const float>, std::span<const float>, std::span<const double>,
                              std::span<const float>);

}  // namespace speedwell::new_application

// Sums and updates of rows in every instruction set, for rows of every remainder of a vector, beside plain loops.
#include "speedwell/apps/incompressible_flow/cpu/vector_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "speedwell/core/random.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
std::vector<T> numbers(int n, std::uint64_t seed) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i)
    x.push_back(static_cast<T>(core::random_uniform(seed, static_cast<std::uint64_t>(i)) - 0.5));
  return x;
}

template <class T>
void expect_rows(const VectorRows<T>& rows, int n) {
  // Terms are below 2, and a sum of n of them is rounded n times in double precision, in any order. An update, whose
  // terms are below 1, is rounded twice in T here and in the kernel.
  const double rounding = 2.0 * n * n * std::numeric_limits<double>::epsilon();
  const T twice = 4 * std::numeric_limits<T>::epsilon();
  const T factor = T(0.75);
  const std::vector<T> p = numbers<T>(n, 1), q = numbers<T>(n, 2);
  std::vector<T> mask(p.size(), T(1));
  for (std::size_t i = 0; i < mask.size(); i += 3) mask[i] = T(0);
  for (const T* solids : {static_cast<const T*>(nullptr), static_cast<const T*>(mask.data())}) {
    std::vector<T> x = numbers<T>(n, 3), z = x;
    const double sum = rows.masked_sum(n, solids, x.data());
    const double product = rows.shifted_product(n, factor, solids, p.data(), z.data());
    double expected_sum = 0, expected_product = 0;
    const std::vector<T> before = numbers<T>(n, 3);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const T fluid = solids ? solids[i] : T(1);
      EXPECT_EQ(x[i], before[i] * fluid);
      EXPECT_NEAR(z[i], before[i] - factor * fluid, twice);
      expected_sum += static_cast<double>(x[i]);
      expected_product += static_cast<double>(p[i]) * static_cast<double>(z[i]);
    }
    EXPECT_NEAR(sum, expected_sum, rounding);
    EXPECT_NEAR(product, expected_product, rounding);
  }
  std::vector<T> x = numbers<T>(n, 4), r = numbers<T>(n, 5), direction = numbers<T>(n, 6);
  const std::vector<T> x_before = x, r_before = r, direction_before = direction;
  const double square = rows.advance(n, factor, p.data(), q.data(), x.data(), r.data());
  rows.new_direction(n, factor, q.data(), direction.data());
  const std::vector<double> weights = numbers<double>(n, 7);
  double expected_square = 0, expected_weighted = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], x_before[i] + factor * p[i], twice);
    EXPECT_NEAR(r[i], r_before[i] - factor * q[i], twice);
    EXPECT_NEAR(direction[i], q[i] + factor * direction_before[i], twice);
    expected_square += static_cast<double>(r[i]) * static_cast<double>(r[i]);
    expected_weighted += weights[i] * static_cast<double>(x[i]);
  }
  EXPECT_NEAR(square, expected_square, rounding);
  EXPECT_NEAR(rows.square(n, r.data()), expected_square, rounding);
  EXPECT_NEAR(rows.weighted_sum(n, weights.data(), x.data()), expected_weighted, rounding);
}

TEST(FlowVectorRows, AreThoseOfPlainLoops) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    SCOPED_TRACE(core::to_string(isa));
    for (int n = 1; n <= 70; ++n) {
      expect_rows(vector_rows<double>(isa), n);
      expect_rows(vector_rows<float>(isa), n);
    }
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow

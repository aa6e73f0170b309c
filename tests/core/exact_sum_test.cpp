// Sums without rounding, held against integer arithmetic and against terms that cancel.
#include "speedwell/core/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace speedwell::core {
namespace {

using Limits = std::numeric_limits<double>;

double exact(const std::vector<double>& terms) {
  ExactSum sum;
  sum.add(std::span<const double>(terms));
  return sum.value();
}

TEST(ExactSum, OfOneTermIsTheTerm) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto term = std::bit_cast<double>(random());
    if (!std::isfinite(term)) continue;
    EXPECT_EQ(exact({term}), term);
    EXPECT_EQ(exact({term, -term}), 0);
  }
  for (const double term : {0.0, Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), Limits::max(),
                            Limits::lowest(), Limits::min() - Limits::denorm_min()})
    EXPECT_EQ(exact({term}), term);
  EXPECT_EQ(exact({}), 0);
}

TEST(ExactSum, RoundsOnceWithTiesToEven) {
  const double u = Limits::epsilon();  // the distance of 1 and the next double
  EXPECT_EQ(exact({1, u / 2}), 1);
  EXPECT_EQ(exact({1 + u, u / 2}), 1 + 2 * u);
  EXPECT_EQ(exact({1, u / 2, Limits::denorm_min()}), 1 + u);
  EXPECT_EQ(exact({-1, -u / 2, -Limits::denorm_min()}), -1 - u);
  EXPECT_EQ(exact({1, u / 2, -Limits::denorm_min()}), 1);
  EXPECT_EQ(exact({1, u / 4, u / 4}), 1);
  EXPECT_EQ(exact({1e300, 1, -1e300}), 1);
  EXPECT_EQ(exact({1e300, 1e-300, -1e300}), 1e-300);
  EXPECT_EQ(exact({Limits::min(), -Limits::denorm_min()}), Limits::min() - Limits::denorm_min());
}

TEST(ExactSum, OverflowsOnlyIfTheSumDoes) {
  EXPECT_EQ(exact({Limits::max(), Limits::max(), Limits::lowest()}), Limits::max());
  EXPECT_EQ(exact({Limits::max(), Limits::max()}), Limits::infinity());
  EXPECT_EQ(exact({Limits::lowest(), Limits::lowest()}), -Limits::infinity());
}

TEST(ExactSum, KeepsWhatIsNotFinite) {
  EXPECT_EQ(exact({1, Limits::infinity(), -5}), Limits::infinity());
  EXPECT_TRUE(std::isnan(exact({Limits::infinity(), -Limits::infinity()})));
  EXPECT_TRUE(std::isnan(exact({1, Limits::quiet_NaN()})));
}

// Terms that are multiples of 2^-30, so that 128-bit integers add them without rounding.
TEST(ExactSum, IsThatOfIntegers) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> terms;
    __extension__ __int128 sum = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto mantissa = static_cast<std::int64_t>(random()) >> (11 + random() % 40);
      terms.push_back(std::ldexp(static_cast<double>(mantissa), -30));
      sum += mantissa;
    }
    // Rounded once: of the integer, which the hardware rounds to nearest, ties to even.
    EXPECT_EQ(exact(terms), std::ldexp(static_cast<double>(sum), -30));
  }
}

TEST(ExactSum, DoesNotDependOnOrderOrDivision) {
  std::mt19937_64 random(3);
  std::vector<double> terms(5000);
  for (double& term : terms)
    term = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 200) - 100);
  const double sum = exact(terms);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(exact(terms), sum);
    ExactSum parts[3];
    for (std::size_t i = 0; i < terms.size(); ++i) parts[i * 3 / terms.size()].add(terms[i]);
    parts[2].add(parts[0]);
    parts[2].add(parts[1]);
    EXPECT_EQ(parts[2].value(), sum);
  }
}

}  // namespace
}  // namespace speedwell::core

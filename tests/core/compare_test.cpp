#include "speedwell/core/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace speedwell::core {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Compare, RelativeL2OfAKnownPair) {
  const std::vector<double> expected{3, 4}, got{3, 5};
  EXPECT_DOUBLE_EQ(relative_l2(expected, got), 1.0 / 5.0);
  EXPECT_EQ(relative_l2(expected, expected), 0);
}

TEST(Compare, RelativeL2AgainstZeroIsTheNormOfTheAnswer) {
  const std::vector<double> zero{0, 0}, got{3, 4};
  EXPECT_DOUBLE_EQ(relative_l2(zero, got), 5);
}

TEST(Compare, ANaNIsNeverClose) {
  const std::vector<double> expected{1, 2, 3}, got{1, nan, 3};
  EXPECT_TRUE(std::isnan(relative_l2(expected, got)));
  EXPECT_TRUE(std::isnan(max_difference(expected, got)));
  EXPECT_EQ(max_ulp_distance(expected, got), std::numeric_limits<std::uint64_t>::max());
}

TEST(Compare, UlpDistanceCountsRepresentableNumbersAcrossZero) {
  EXPECT_EQ(ulp_distance(1.0, 1.0), 0u);
  EXPECT_EQ(ulp_distance(1.0, std::nextafter(1.0, 2.0)), 1u);
  EXPECT_EQ(ulp_distance(0.0, -0.0), 0u);
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ulp_distance(tiny, -tiny), 2u);
  EXPECT_EQ(ulp_distance(1.0f, std::nextafter(1.0f, 0.0f)), 1u);
  EXPECT_EQ(ulp_distance(std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()), 1u);
}

TEST(Compare, DifferentSizesAreRefused) {
  const std::vector<double> two{1, 2}, three{1, 2, 3};
  EXPECT_THROW(relative_l2(two, three), std::invalid_argument);
  EXPECT_THROW(max_difference(two, three), std::invalid_argument);
  EXPECT_THROW(max_ulp_distance(two, three), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::core

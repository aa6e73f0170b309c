#include "speedwell/core/statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/core/random.hpp"

namespace speedwell::core {
namespace {

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> samples{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(samples), 2.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 4);
  EXPECT_THROW(quantile(samples, 1.5), std::invalid_argument);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Statistics, NoIntervalBelowSixSamples) {
  EXPECT_FALSE(median_interval(std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(median_interval(std::vector<double>{1, 2, 3, 4, 5, 6}));
}

// Ranks from the published tables of the binomial interval for the median at 95 % (n: lower, upper rank from 1).
TEST(Statistics, IntervalRanksAreThePublishedOnes) {
  const auto ranks = [](int n) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    return *median_interval(samples);
  };
  EXPECT_EQ(ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ranks(9), std::pair(2.0, 8.0));
  EXPECT_EQ(ranks(20), std::pair(6.0, 15.0));
  EXPECT_EQ(ranks(50), std::pair(18.0, 33.0));
  EXPECT_EQ(ranks(199), std::pair(86.0, 114.0));
  // From here on by the normal approximation: the exact sum of the binomial has the same ranks, within one.
  for (const auto& [n, low, high] : {std::array{200, 86, 115}, {1000, 469, 532}, {10000, 4902, 5099}}) {
    EXPECT_NEAR(ranks(n).first, low, 1) << n;
    EXPECT_NEAR(ranks(n).second, high, 1) << n;
  }
}

TEST(Statistics, TheIntervalCoversTheMedianAtLeastNinetyFourTimesInAHundred) {
  int covered = 0;
  constexpr int trials = 2000, n = 15;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> samples;
    for (int i = 0; i < n; ++i) samples.push_back(random_uniform(t + 1, i));
    const auto [low, high] = *median_interval(samples);
    covered += low <= 0.5 && 0.5 <= high;
  }
  EXPECT_GE(covered, trials * 94 / 100);  // 0.9648 in theory for n = 15; three standard errors are 1.2 %
}

}  // namespace
}  // namespace speedwell::core

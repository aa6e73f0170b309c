#include "speedwell/apps/transfer/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/core/random.hpp"

namespace speedwell::transfer {
namespace {

std::vector<Sample> line(double alpha, double beta, double first, double last) {
  std::vector<Sample> samples;
  for (double n = first; n <= last; n *= 2) samples.push_back({n, alpha + n / beta});
  return samples;
}

TEST(Fit, FindsALineExactly) {
  const auto found = fit(line(6e-6, 55e9, 64, 1 << 30), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].alpha_seconds, 6e-6, 6e-15);
  EXPECT_NEAR(found[0].bytes_per_second, 55e9, 55);
  EXPECT_NEAR(found[0].half_bytes(), 330000, 1);
  EXPECT_LT(found[0].worst_error, 1e-9);
  EXPECT_EQ(found[0].first_bytes, 64);
  EXPECT_EQ(found[0].last_bytes, 1 << 30);
}

// A path that changes twice, as a pageable copy does: by command, by one staging buffer, by several.
TEST(Fit, FindsWhereThePathChanges) {
  std::vector<Sample> samples = line(2e-6, 8e9, 64, 1 << 14);
  for (const Sample& s : line(5e-6, 3e9, 1 << 15, 1 << 20)) samples.push_back(s);
  for (const Sample& s : line(4e-5, 12e9, 1 << 21, 1 << 30)) samples.push_back(s);
  const auto found = fit(samples);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].bytes_per_second, 8e9, 10);
  EXPECT_NEAR(found[1].bytes_per_second, 3e9, 10);
  EXPECT_NEAR(found[2].bytes_per_second, 12e9, 10);
  EXPECT_EQ(thresholds(found), (std::vector<double>{1 << 15, 1 << 21}));
  EXPECT_NEAR(predict(found, 3 << 20), 4e-5 + (3 << 20) / 12e9, 1e-9);
  EXPECT_NEAR(predict(found, 1), 2e-6 + 1 / 8e9, 1e-12) << "below the first size: by the first segment";
}

TEST(Fit, StaysWithinTheNoise) {
  std::vector<Sample> samples = line(6e-6, 55e9, 64, 1 << 30);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].seconds *= 1 + 0.04 * (core::random_uniform(1, i) - 0.5);
  const auto found = fit(samples, 1);
  EXPECT_NEAR(found[0].alpha_seconds / 6e-6, 1, 0.02);  // noise of 2 % at most on every sample
  EXPECT_NEAR(found[0].bytes_per_second / 55e9, 1, 0.02);
  EXPECT_LT(found[0].worst_error, 0.04);
}

TEST(Fit, ATimeThatDoesNotGrowHasNoBandwidth) {
  const auto found = fit(std::vector<Sample>{{1, 3e-6}, {2, 2.9e-6}, {4, 2.8e-6}}, 1);
  EXPECT_TRUE(std::isinf(found[0].bytes_per_second));
  EXPECT_NEAR(found[0].alpha_seconds, 2.9e-6, 1e-8);
  EXPECT_NEAR(found[0].seconds(1e9), found[0].alpha_seconds, 0);
}

// (10, 1 s), (20, 2.5 s), (40, 5.5 s) lie on t = 0.15 n - 0.5: a negative latency has no meaning.
TEST(Fit, ALatencyIsNotNegative) {
  const auto found = fit(std::vector<Sample>{{10, 1}, {20, 2.5}, {40, 5.5}}, 1);
  EXPECT_EQ(found[0].alpha_seconds, 0);
  EXPECT_GT(found[0].bytes_per_second, 0);
}

TEST(Fit, TakesFewerSegmentsThanTheSizesAllow) {
  EXPECT_EQ(fit(line(1e-6, 1e9, 1, 16), 3).size(), 1u);   // five sizes
  EXPECT_EQ(fit(line(1e-6, 1e9, 1, 128), 3).size(), 2u);  // eight
  EXPECT_EQ(fit(line(1e-6, 1e9, 1, 2), 3).size(), 1u);    // two
}

TEST(Fit, SeveralSamplesOfOneSizeStayTogether) {
  std::vector<Sample> samples = line(1e-6, 1e9, 1, 1 << 20);
  const std::vector<Sample> twice = samples;
  samples.insert(samples.end(), twice.begin(), twice.end());
  for (const Segment& s : fit(samples)) EXPECT_LT(s.worst_error, 1e-9);
}

TEST(Fit, MisuseIsRefused) {
  EXPECT_THROW(fit({}), std::invalid_argument);
  EXPECT_THROW(fit(std::vector<Sample>{{1, 1}, {1, 2}}), std::invalid_argument);
  EXPECT_THROW(fit(std::vector<Sample>{{0, 1}, {1, 2}}), std::invalid_argument);
  EXPECT_THROW(fit(std::vector<Sample>{{1, 0}, {2, 2}}), std::invalid_argument);
  EXPECT_THROW(fit(std::vector<Sample>{{1, std::numeric_limits<double>::quiet_NaN()}, {2, 2}}), std::invalid_argument);
  EXPECT_THROW(fit(line(1, 1, 1, 8), 0), std::invalid_argument);
  EXPECT_THROW(predict({}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::transfer

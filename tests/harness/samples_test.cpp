#include "speedwell/harness/measurement/samples.hpp"

#include <gtest/gtest.h>

#include <random>

namespace speedwell::harness {
namespace {

std::vector<Sample> passes(const std::vector<double>& levels, int samples, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> scatter(0, noise);
  std::vector<Sample> all;
  for (std::size_t p = 0; p < levels.size(); ++p)
    for (int i = 0; i < samples; ++i) all.push_back({levels[p] + scatter(random), static_cast<int>(p), false, {}});
  return all;
}

TEST(Samples, TheIntervalContainsWhatDiffersBetweenPasses) {
  const auto samples = passes({1.0, 1.1, 1.2, 1.3, 1.4, 1.5}, 100, 1e-4, 1);
  const core::Summary s = summarize(samples);
  EXPECT_NEAR(s.median, 1.25, 1e-3);
  ASSERT_TRUE(s.interval);
  EXPECT_NEAR(s.interval->first, 1.0, 1e-3);
  EXPECT_NEAR(s.interval->second, 1.5, 1e-3);
  EXPECT_EQ(s.n, 600u);
}

TEST(Samples, ManySamplesOfFewPassesHaveNoInterval) {
  EXPECT_FALSE(summarize(passes({1, 1, 1, 1, 1}, 1000, 0.1, 2)).interval);
}

TEST(Samples, ThrottledOnesCountOnlyWhereThereAreNoOthers) {
  std::vector<Sample> samples = {{1, 0, false, {}}, {9, 0, true, {}}, {2, 1, false, {}}};
  EXPECT_EQ(median_seconds(samples), 1.5);
  EXPECT_EQ(throttled_count(samples), 1u);
  for (Sample& s : samples) s.throttled = true;
  EXPECT_EQ(median_seconds(samples), (5.0 + 2.0) / 2);
}

// Two runs of the same program: each pass has a level of its own (memory that another process's pages surround, a clock
// that another core's load moves), and the samples of a pass scatter about it. Their intervals must overlap in 95 % of
// rows; those of pooled samples, taken for independent ones, hardly ever do.
TEST(Samples, IntervalsOfRepeatedRunsOverlap) {
  std::mt19937 random(3);
  std::normal_distribution<double> level(1, 0.01);
  const auto a_run = [&](unsigned seed) {
    std::vector<double> levels(passes_for_an_interval);
    for (double& l : levels) l = level(random);
    return passes(levels, 100, 1e-3, seed);
  };
  const auto overlap = [](const core::Summary& a, const core::Summary& b) {
    return a.interval->first <= b.interval->second && b.interval->first <= a.interval->second;
  };
  const auto pooled = [](const std::vector<Sample>& samples) {
    std::vector<double> seconds;
    for (const Sample& s : samples) seconds.push_back(s.seconds);
    return core::summarize(seconds);
  };
  int overlapping = 0, pooled_overlapping = 0;
  for (unsigned row = 0; row < 200; ++row) {
    const auto first = a_run(2 * row), second = a_run(2 * row + 1);
    overlapping += overlap(summarize(first), summarize(second));
    pooled_overlapping += overlap(pooled(first), pooled(second));
  }
  EXPECT_GE(overlapping, 190);
  EXPECT_LT(pooled_overlapping, 190) << "or the test proves nothing";
}

}  // namespace
}  // namespace speedwell::harness

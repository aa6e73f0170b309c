#include "speedwell/harness/diff.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/harness/report/samples.hpp"

namespace speedwell::harness::diff {
namespace {

using records::Document;
using samples::Json;

// Oracle: every way to choose which of the values belong to the first side, counted.
double p_by_enumeration(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  const auto wins = [&](unsigned chosen) {
    int count = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        if ((chosen >> i & 1) && !(chosen >> j & 1)) count += all[i] > all[j];
    return count;
  };
  const int middle = static_cast<int>(a.size() * b.size());
  const int seen = std::abs(2 * wins((1u << a.size()) - 1) - middle);
  int extreme = 0, total = 0;
  for (unsigned chosen = 0; chosen < 1u << all.size(); ++chosen) {
    if (__builtin_popcount(chosen) != static_cast<int>(a.size())) continue;
    ++total;
    extreme += std::abs(2 * wins(chosen) - middle) >= seen;
  }
  return static_cast<double>(extreme) / total;
}

TEST(MannWhitney, SmallSidesAreExact) {
  EXPECT_NEAR(mann_whitney_p({1, 2, 3}, {4, 5, 6}), 0.1, 1e-12);
  EXPECT_NEAR(mann_whitney_p({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), 2.0 / 252, 1e-12);
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> a(1 + random() % 6), b(1 + random() % 6);
    for (double& v : a) v = std::ldexp(random(), -32);
    for (double& v : b) v = std::ldexp(random(), -32) + 0.2;
    EXPECT_NEAR(mann_whitney_p(a, b), p_by_enumeration(a, b), 1e-12);
    EXPECT_DOUBLE_EQ(mann_whitney_p(a, b), mann_whitney_p(b, a));
  }
}

// By hand: mid-ranks of {1,2,2,3} are 1, 3, 3, 5.5, so U = 2.5 against a mean of 8; the ties (27 - 3 + 8 - 2 = 30)
// leave a variance of 16/12 (9 - 30/56) = 11.2857; z = (5.5 - 0.5) / 3.35942 = 1.48835, and 2 (1 - Phi(z)) = 0.13666.
TEST(MannWhitney, TiesAreCorrectedFor) {
  EXPECT_NEAR(mann_whitney_p({1, 2, 2, 3}, {2, 3, 4, 5}), 0.13666, 2e-5);
  EXPECT_EQ(mann_whitney_p({1, 1, 1}, {1, 1, 1, 1}), 1);
  EXPECT_EQ(mann_whitney_p({}, {1}), 1);
}

TEST(MannWhitney, TheApproximationContinuesTheExactDistribution) {
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) a.push_back(i), b.push_back(i + 6.5);
  const double exact = mann_whitney_p(a, b);
  a.push_back(9.75), b.push_back(16.25);  // 21 on each side: approximated
  EXPECT_NEAR(mann_whitney_p(a, b), exact, 0.003);
}

TEST(Holm, IsThePublishedProcedure) {
  const auto p = holm({0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(p[0], 0.03);
  EXPECT_DOUBLE_EQ(p[1], 0.06);
  EXPECT_DOUBLE_EQ(p[2], 0.06);
  EXPECT_DOUBLE_EQ(p[3], 0.02);
  EXPECT_DOUBLE_EQ(holm({0.9, 0.8})[0], 1);
  EXPECT_TRUE(holm({}).empty());
}

// Times of `runs` variants: normal noise, and every twentieth sample up to half as slow again, as on a real machine.
std::vector<Document> measured(std::uint32_t seed, int runs, int n, double slowdown_of_first, double sigma = 0.02) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  std::uniform_real_distribution<double> uniform(0, 1);
  Document document;
  document.machine.emplace().id = "m";
  for (int r = 0; r < runs; ++r) {
    records::Run run;
    run.application = "a";
    run.key = "a n=1 seed=1";
    run.variant.name = "v" + std::to_string(r);
    run.device = {"gpu", "one GPU", {}, {}};
    run.status = records::Status::passed;
    records::Phase phase;
    for (int i = 0; i < n; ++i) {
      double time = 1e-3 * (1 + noise(random)) * (r == 0 ? slowdown_of_first : 1);
      if (uniform(random) < 0.05) time *= 1 + 0.5 * uniform(random);
      phase.samples.push_back(time);
    }
    std::vector<double> sorted = phase.samples;
    std::sort(sorted.begin(), sorted.end());
    phase.median = 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
    phase.n = phase.samples.size();
    run.phases.execute = phase;
    document.runs.push_back(run);
  }
  return {document};
}

// Each of 200 comparisons of a set with another of the same distribution: at most 2 % of the sets may hold any change.
TEST(Diff, ABuildAgainstItselfIsHardlyEverFlagged) {
  int flagged = 0;
  for (std::uint32_t t = 0; t < 200; ++t) {
    const Result r = compare(measured(2 * t, 8, 20, 1), measured(2 * t + 1, 8, 20, 1));
    bool any = false;
    for (const Comparison& c : r.comparisons) any = any || c.change == Change::faster || c.change == Change::slower;
    flagged += any;
    EXPECT_EQ(fails(r, {}), std::any_of(r.comparisons.begin(), r.comparisons.end(),
                                        [](const Comparison& c) { return c.change == Change::slower; }));
  }
  EXPECT_LE(flagged, 4);
}

// Eight comparisons of 20 samples with 2 % of noise: U is 4.8 standard deviations from its mean, and Holm asks for 3.2.
TEST(Diff, ASlowdownOfFivePercentIsFound) {
  int found = 0;
  for (std::uint32_t t = 0; t < 200; ++t) {
    const Result r = compare(measured(7000 + 2 * t, 8, 20, 1), measured(7001 + 2 * t, 8, 20, 1.05));
    found += r.comparisons[0].change == Change::slower;
  }
  EXPECT_GE(found, 190);
}

// A 95 % interval may miss the true ratio once in twenty; the percentile bootstrap of a median at n = 25 is a little
// conservative. 200 trials: the standard error is 1.5 %, so below 90 % would be three of them off.
TEST(Diff, TheIntervalHoldsTheTrueRatio) {
  int held = 0;
  for (std::uint32_t t = 0; t < 200; ++t) {
    const Result r = compare(measured(9000 + 2 * t, 1, 25, 1), measured(9001 + 2 * t, 1, 25, 1.03));
    held += r.comparisons[0].interval->first <= 1.03 && 1.03 <= r.comparisons[0].interval->second;
  }
  EXPECT_GE(held, 180);
}

TEST(Diff, EqualRecordsAreNeverFasterOrSlowerAndGiveEqualBytes) {
  for (const double sigma : {0.002, 0.2}) {
    const auto base = measured(3, 3, 15, 1, sigma);
    const Result r = compare(base, base);
    for (const Comparison& c : r.comparisons) {
      EXPECT_DOUBLE_EQ(c.ratio, 1);
      EXPECT_EQ(c.change, sigma < 0.01 ? Change::same : Change::unclear) << sigma;
    }
    EXPECT_EQ(json(r), json(compare(base, base)));
  }
}

TEST(Diff, FasterAndSlowerPointTheRightWay) {
  const auto base = measured(1, 1, 15, 1), slow = measured(2, 1, 15, 1.5);
  EXPECT_EQ(compare(base, slow).comparisons[0].change, Change::slower);
  EXPECT_NEAR(compare(base, slow).comparisons[0].ratio, 1.5, 0.05);
  EXPECT_EQ(compare(slow, base).comparisons[0].change, Change::faster);
}

TEST(Diff, FewSamplesAreUnclearNotSame) {
  const Result r = compare(measured(1, 1, 3, 1), measured(2, 1, 3, 2));
  EXPECT_EQ(r.comparisons[0].change, Change::unclear);
  EXPECT_FALSE(r.comparisons[0].interval);
  EXPECT_FALSE(r.comparisons[0].note.empty());
  EXPECT_FALSE(fails(r, {}));
}

TEST(Diff, FailOnAsksForTheWholeIntervalAboveThePercentage) {
  const Result r = compare(measured(1, 1, 25, 1), measured(2, 1, 25, 1.1));
  EXPECT_TRUE(fails(r, FailOn::parse("slower")));
  EXPECT_TRUE(fails(r, FailOn::parse("slower:5")));
  EXPECT_FALSE(fails(r, FailOn::parse("slower:20")));
  for (const char* wrong : {"", "faster", "slower:", "slower:x", "slower:-1", "slower:inf", "slower 5"})
    EXPECT_THROW(FailOn::parse(wrong), std::invalid_argument) << wrong;
}

TEST(Diff, WhatHasNoCounterpartAndWhatFailsIsListed) {
  auto base = measured(1, 3, 15, 1), next = measured(2, 4, 15, 1);
  base[0].runs.erase(base[0].runs.begin());          // v0 only in next
  next[0].runs.pop_back();                           // v3 in neither
  next[0].runs[2].status = records::Status::failed;  // v2
  next[0].runs[2].reason = "wrong";
  base[0].runs.push_back(base[0].runs[0]);
  base[0].runs.back().variant.name = "old";  // only in base
  next[0].machine->id = "other";
  const Result r = compare(base, next);
  EXPECT_EQ(r.comparisons.size(), 1u);
  ASSERT_EQ(r.status_changes.size(), 1u);
  EXPECT_EQ(r.status_changes[0].variant, "v2");
  EXPECT_EQ(r.only_in_base, std::vector<std::string>{"a n=1 seed=1 old one GPU"});
  EXPECT_EQ(r.only_in_next, std::vector<std::string>{"a n=1 seed=1 v0 one GPU"});
  EXPECT_TRUE(r.machines_differ);
  EXPECT_NE(text(r).find("passed -> failed: a n=1 seed=1 v2: wrong"), std::string::npos) << text(r);
  const auto parsed = nlohmann::json::parse(json(r));
  EXPECT_EQ(parsed["schema"], "speedwell-diff/1");
  EXPECT_EQ(parsed["comparisons"][0]["variant"], "v1");
}

TEST(Diff, HostileTextDoesNotReachTheTerminal) {
  const std::vector<Document> hostile = {records::parse_document(samples::hostile().dump(), "x")};
  const std::string shown = text(compare(hostile, hostile));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\r'), std::string::npos);
}

TEST(Diff, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(compare({}, {}, {.alpha = 0}), std::invalid_argument);
  EXPECT_THROW(compare({}, {}, {.margin = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::harness::diff

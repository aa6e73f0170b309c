// The oracle of EP against values that were computed elsewhere, and the verdict.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/npb/ep/reference.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"

namespace speedwell::npb::ep {
namespace {

struct Golden {
  int m;
  double sum_x, sum_y;
  std::array<std::int64_t, annuli> counts;
  std::int64_t accepted;
};
// Computed in another language by another program.
const Golden golden[] = {
    {10, -9.737766813273920, -6.702256572471981, {372, 344, 72, 8}, 796},
    {16, 77.72321454195372, 27.90554015472209, {24010, 22707, 4297, 265, 6}, 51285},
    {20, 674.1650709778467, -150.8139842420432, {384310, 366072, 68758, 4318, 103}, 823561},
};

// Their sums were added in doubles: at most 2^20 roundings, each of a partial sum below 2^12, but not all one way.
constexpr double bound_of_golden_sums = 1e-9;

TEST(EpReference, GivesTheGoldenValues) {
  for (const Golden& g : golden) {
    const Result got = reference({g.m});
    EXPECT_EQ(got.counts, g.counts) << g.m;
    EXPECT_EQ(got.accepted(), g.accepted) << g.m;
    EXPECT_NEAR(got.sum_x, g.sum_x, bound_of_golden_sums) << g.m;
    EXPECT_NEAR(got.sum_y, g.sum_y, bound_of_golden_sums) << g.m;
  }
}

TEST(EpSerial, GivesTheGoldenValues) {
  for (const Golden& g : golden) {
    const Result got = tally_serially({g.m});
    EXPECT_EQ(got.counts, g.counts) << g.m;
    EXPECT_NEAR(got.sum_x, g.sum_x, bound_of_golden_sums) << g.m;
    EXPECT_NEAR(got.sum_y, g.sum_y, bound_of_golden_sums) << g.m;
  }
}

TEST(EpReference, AgreesWithTheOfficialSumsOfClassS) {
  EXPECT_TRUE(verify(expect(problem_of(Class::S)), reference(problem_of(Class::S))).passed);
}

// The share of accepted pairs is pi/4, and a deviate is below l in magnitude with probability erf(l / sqrt 2), two of
// them with its square. Four standard deviations of a count are allowed.
TEST(EpReference, CountsAsTheNormalDistributionDoes) {
  const auto got = reference({20});
  const double n = std::ldexp(1.0, 20), share = std::acos(-1.0) / 4;
  EXPECT_NEAR(static_cast<double>(got.accepted()), n * share, 4 * std::sqrt(n * share * (1 - share)));
  const auto below = [](double l) { return std::pow(std::erf(l / std::sqrt(2.0)), 2); };
  for (int l = 0; l < 5; ++l) {
    const double p = below(l + 1) - below(l), expected = static_cast<double>(got.accepted()) * p;
    EXPECT_NEAR(static_cast<double>(got.counts[static_cast<std::size_t>(l)]), expected,
                4 * std::sqrt(expected * (1 - p)))
        << l;
  }
}

TEST(EpVerify, KnowsTheClasses) {
  const int m[] = {24, 25, 28, 30, 32, 36, 40, 44};
  for (const Class c : all_classes()) {
    EXPECT_EQ(problem_of(c).m, m[static_cast<int>(c)]);
    EXPECT_EQ(class_of(problem_of(c)), c);
    EXPECT_EQ(expect(problem_of(c)).counts.has_value(), c != Class::F);
  }
  EXPECT_FALSE(class_of({26}));
}

// The published counts, their sum published apart from them.
TEST(EpVerify, HasTheCountsOfAllAcceptedPairs) {
  const std::int64_t accepted[] = {13176389, 26354769, 210832767, 843345606, 3373275903, 53972171957, 863554308186};
  for (const Class c : all_classes()) {
    if (c == Class::F) continue;
    EXPECT_EQ((Result{.counts = *expect(problem_of(c)).counts}.accepted()), accepted[static_cast<int>(c)]) << letter(c);
  }
}

TEST(EpVerify, AllowsTheBenchmarksToleranceAndNoMore) {
  const Expected e = expect(problem_of(Class::A));
  const Result right{e.sum_x, e.sum_y, *e.counts};
  EXPECT_TRUE(verify(e, right).passed);
  for (const double by : {0.9e-8, -0.9e-8, 1.1e-8, -1.1e-8}) {
    const bool within = std::abs(by) < tolerance;
    EXPECT_EQ(verify(e, {e.sum_x * (1 + by), e.sum_y, *e.counts}).passed, within) << by;
    EXPECT_EQ(verify(e, {e.sum_x, e.sum_y * (1 + by), *e.counts}).passed, within) << by;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(verify(e, {nan, e.sum_y, *e.counts}).passed);
  EXPECT_FALSE(verify(e, {e.sum_x, nan, *e.counts}).passed);
  EXPECT_FALSE(verify(e, {-e.sum_x, e.sum_y, *e.counts}).passed);
}

TEST(EpVerify, SeesOnePairTooMany) {
  const Expected e = expect(problem_of(Class::C));
  for (std::size_t l = 0; l < annuli; ++l) {
    Result wrong{e.sum_x, e.sum_y, *e.counts};
    ++wrong.counts[l];
    const core::Verdict verdict = verify(e, wrong);
    EXPECT_FALSE(verdict.passed) << l;
    EXPECT_NE(verdict.oracle.find("annulus " + std::to_string(l)), std::string::npos) << verdict.oracle;
  }
}

TEST(EpProblem, RefusesSizesOutOfRange) {
  for (const int m : {-1, 0, 9, 45, 64}) {
    EXPECT_THROW(tally_serially({m}), std::invalid_argument) << m;
    EXPECT_THROW(reference({m}), std::invalid_argument) << m;
    EXPECT_THROW(expect({m}), std::invalid_argument) << m;
  }
}

}  // namespace
}  // namespace speedwell::npb::ep

// The oracle of FT against the official checksums and against fields that can be worked out by hand, and the verdict.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/npb/ft/official.hpp"
#include "speedwell/apps/npb/ft/reference.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ft {
namespace {

TEST(FtReference, GivesTheOfficialChecksums) {
  for (const Class c : {Class::S, Class::W}) {
    const core::Verdict verdict = verify(expect(problem_of(c)), reference(problem_of(c)));
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error << " " << verdict.oracle;
  }
}

// One point keeps its value, 1024 times: the first two numbers of the seed.
TEST(FtReference, LeavesASinglePointAlone) {
  for (const std::complex<double> sum : reference({1, 1, 1, 3})) {
    EXPECT_DOUBLE_EQ(sum.real(), 1024 * 0.79452191118873827);
    EXPECT_DOUBLE_EQ(sum.imag(), 1024 * 0.86906527387453991);
  }
}

// Two points a, b along an axis: the mean stays, half their difference decays by exp(-4 alpha pi^2 t). Of the indices q
// mod 2, 3 q mod 2 and 5 q mod 2 there are as many at either point, and the mean is what remains of them.
TEST(FtReference, KeepsTheMeanOfTwoPoints) {
  const double a[] = {55909509111989 * 0x1p-46, 61155031930969 * 0x1p-46};
  const double b[] = {45573031421645 * 0x1p-46, 55279057169489 * 0x1p-46};
  for (const Problem& p : {Problem{2, 1, 1, 2}, Problem{1, 2, 1, 2}, Problem{1, 1, 2, 2}})
    for (const std::complex<double> sum : reference(p)) {
      EXPECT_NEAR(sum.real(), 512 * (a[0] + b[0]), 1e-12);
      EXPECT_NEAR(sum.imag(), 512 * (a[1] + b[1]), 1e-12);
    }
}

// On three points the modes of wave numbers 1 and -1 decay alike: what a point differs from the mean by, with them. Of
// the 1024 terms 341 rounds have all three points, and one is left, at the second.
TEST(FtReference, LetsADifferenceDecay) {
  Random random(seed);
  std::complex<double> u[3], mean = 0;
  for (std::complex<double>& z : u) {
    const double re = random.next();
    z = {re, random.next()};
    mean += z / 3.0;
  }
  const Checksums sums = reference({3, 1, 1, 4});
  for (int t = 1; t <= 4; ++t) {
    const double decayed = std::exp(-4e-6 * std::acos(-1.0) * std::acos(-1.0) * t);
    EXPECT_NEAR(std::abs(sums[static_cast<std::size_t>(t - 1)] - (1024.0 * mean + decayed * (u[1] - mean))), 0, 1e-12);
  }
}

TEST(FtVerify, KnowsTheClasses) {
  const Problem sizes[] = {{64, 64, 64, 6},     {128, 128, 32, 6},      {256, 256, 128, 6},     {512, 256, 256, 20},
                           {512, 512, 512, 20}, {2048, 1024, 1024, 25}, {4096, 2048, 2048, 25}, {8192, 4096, 4096, 25}};
  ASSERT_EQ(official().size(), std::size(sizes));
  for (const Class c : all_classes()) {
    EXPECT_EQ(problem_of(c), sizes[static_cast<int>(c)]) << letter(c);
    EXPECT_EQ(expect(problem_of(c)).checksums.size(), static_cast<std::size_t>(problem_of(c).iterations)) << letter(c);
  }
}

// Sums of t times the 13 digits of each value, which were formed from the published tables by another program: a digit
// that is changed changes them, and a bit that changes no digit is none of a number of 13 digits.
TEST(FtVerify, HasEveryPublishedDigit) {
  const auto digits_of = [](double value) {
    const std::int64_t digits = std::llround(value * 1e10);
    EXPECT_EQ(value, static_cast<double>(digits) / 1e10);
    return digits;
  };
  const std::int64_t digits[][2] = {{116436373141047, 103015759473803},   {116640803770954, 110392925826925},
                                    {106660349887127, 107183524220839},   {1077122371228358, 1073491524010837},
                                    {1077776461075903, 1075854726088741}, {1663604886049390, 1663783345070562},
                                    {1664002763883711, 1664112327141772}, {1663889380487918, 1664033031013674}};
  for (const Class c : all_classes()) {
    std::int64_t re = 0, im = 0, t = 0;
    for (const std::complex<double> z : expect(problem_of(c)).checksums) {
      ++t;
      re += t * digits_of(z.real());
      im += t * digits_of(z.imag());
    }
    EXPECT_EQ(re, digits[static_cast<int>(c)][0]) << letter(c);
    EXPECT_EQ(im, digits[static_cast<int>(c)][1]) << letter(c);
  }
}

// Every bit of every value of every class, its own or the expected one: the run fails if the bit is worth more than the
// benchmark's tolerance of 1e-12, and there is none that a passing run hides behind another value's.
TEST(FtVerify, SeesEveryBitThatTheToleranceLetsItSee) {
  for (const Class c : all_classes()) {
    const Expected right = expect(problem_of(c));
    ASSERT_TRUE(verify(right, right.checksums).passed);
    for (std::size_t t = 0; t < right.checksums.size(); ++t)
      for (const bool imaginary : {false, true})
        for (int bit = 0; bit < 64; ++bit) {
          Expected wrong = right;
          double part[2] = {right.checksums[t].real(), right.checksums[t].imag()};
          const double before = part[imaginary];
          part[imaginary] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(before) ^ std::uint64_t{1} << bit);
          wrong.checksums[t] = {part[0], part[1]};
          const double change = std::abs(part[imaginary] - before) / std::abs(right.checksums[t]);
          const bool within = change < 0.999 * tolerance;
          if (!within && change < 1.001 * tolerance) continue;
          EXPECT_EQ(verify(right, wrong.checksums).passed, within) << letter(c) << t << " bit " << bit;
          EXPECT_EQ(verify(wrong, right.checksums).passed, within) << letter(c) << t << " bit " << bit;
          // 1e-12 of 724 are 12700 units of the last place of a number below 512: bits from 2^14 of them are always
          // seen.
          EXPECT_TRUE(!within || bit < 14) << letter(c) << t << " bit " << bit;
        }
  }
}

TEST(FtVerify, RefusesNansAndMissingSteps) {
  const Expected e = expect(problem_of(Class::S));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t t = 0; t < e.checksums.size(); ++t) {
    Checksums wrong = e.checksums;
    wrong[t] = {nan, wrong[t].imag()};
    EXPECT_FALSE(verify(e, wrong).passed) << t;
    wrong[t] = {e.checksums[t].real(), nan};
    EXPECT_FALSE(verify(e, wrong).passed) << t;
  }
  Checksums fewer = e.checksums, more = e.checksums;
  fewer.pop_back();
  more.push_back(e.checksums[0]);
  EXPECT_FALSE(verify(e, fewer).passed);
  EXPECT_FALSE(verify(e, more).passed);
  EXPECT_FALSE(verify(e, {}).passed);
}

TEST(FtProblem, CountsTheBenchmarksOperations) {
  // 10^6 operations of class S, worked out from the formula by another program.
  EXPECT_NEAR(nominal_operations(problem_of(Class::S)) * 1e-6, 177.1669558, 1e-6);
  EXPECT_NEAR(nominal_operations(problem_of(Class::D)) * 1e-6, 8963744.2621, 1e-2);
}

TEST(FtProblem, RefusesWhatIsNone) {
  for (const Problem& p : {Problem{0, 64, 64, 6}, Problem{64, -1, 64, 6}, Problem{64, 64, 0, 6}, Problem{64, 64, 64, 0},
                           Problem{std::int64_t{1} << 40, 1 << 20, 1 << 20, 1}}) {
    EXPECT_THROW(require_valid(p), std::invalid_argument);
    EXPECT_THROW(expect(p), std::invalid_argument);
    EXPECT_THROW(reference(p), std::invalid_argument);
  }
}

}  // namespace
}  // namespace speedwell::npb::ft

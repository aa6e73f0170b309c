// Answers that the verdict on any variant must reject.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/apps/matvec/support.hpp"

namespace speedwell::matvec {
namespace {

struct Fault {
  const char* name;
  std::function<void(std::vector<double>&)> plant;
};
const double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<Fault> faults = {
    {"nothing was written", [](auto& c) { std::fill(c.begin(), c.end(), nan); }},
    {"zeros", [](auto& c) { std::fill(c.begin(), c.end(), 0.0); }},
    {"the last element was skipped", [](auto& c) { c.back() = nan; }},
    {"one NaN in the middle", [](auto& c) { c[c.size() / 2] = nan; }},
    {"one infinity", [](auto& c) { c[0] = std::numeric_limits<double>::infinity(); }},
    {"off by one", [](auto& c) { std::rotate(c.begin(), c.begin() + 1, c.end()); }},
};

template <class T>
void expect_all_rejected(const Problem& problem) {
  Data<T> d(problem);
  multiply_serially(d.matrix(), d.vector(), std::span(d.c));
  const Expected expected = d.expected();
  const std::vector<T> right = d.c;
  ASSERT_TRUE(verify<T>(problem, expected, right).passed) << verify<T>(problem, expected, right).error;
  for (const Fault& fault : faults) {
    std::vector<double> c(right.begin(), right.end());
    fault.plant(c);
    const std::vector<T> got(c.begin(), c.end());
    EXPECT_FALSE(verify<T>(problem, expected, got).passed) << fault.name << ", " << problem.columns << " columns";
  }
  // A stale answer: right, but to the problem before.
  Problem other = problem;
  other.seed += 1;
  Data<T> stale(other);
  multiply_serially(stale.matrix(), stale.vector(), std::span(stale.c));
  EXPECT_FALSE(verify<T>(problem, expected, stale.c).passed) << "stale, " << problem.columns << " columns";
}

TEST(MatvecVerdict, RejectsEveryPlantedFault) {
  for (const Values values : {Values::integers, Values::random})
    for (const std::int64_t columns : {1, 37, 4096, 100000}) {
      expect_all_rejected<float>({.rows = 40, .columns = columns, .values = values});
      expect_all_rejected<double>({.rows = 40, .columns = columns, .values = values});
    }
}

// One product in 4096 that was left out or counted twice: gamma_M alone would not see it in f32.
TEST(MatvecVerdict, SeesOneProductMissingFromALongRow) {
  for (const Values values : {Values::integers, Values::random}) {
    const Problem problem{.rows = 3, .columns = 4096, .values = values};
    Data<float> d(problem);
    multiply_serially(d.matrix(), d.vector(), std::span(d.c));
    const Expected expected = d.expected();
    for (std::int64_t i = 0; i < problem.rows; ++i) {
      std::int64_t j = 0;  // a column whose product is of ordinary size
      while (std::abs(d.a[i * 4096 + j] * d.b[j]) < 0.25f) ++j;
      std::vector<float> got = d.c;
      got[i] -= d.a[i * 4096 + j] * d.b[j];
      EXPECT_FALSE(verify<float>(problem, expected, got).passed);
    }
  }
}

TEST(MatvecVerdict, ReportsHowFarAnAnswerIsFromItsBound) {
  const Problem problem{.rows = 1, .columns = 1};
  const Expected expected{{1.0}, {0.5}};
  EXPECT_EQ(verify<double>(problem, expected, std::vector<double>{1.25}).error, 0.5);
  EXPECT_TRUE(verify<double>(problem, expected, std::vector<double>{1.5}).passed);
  EXPECT_FALSE(verify<double>(problem, expected, std::vector<double>{1.75}).passed);
  EXPECT_TRUE(std::isnan(verify<double>(problem, expected, std::vector<double>{nan}).error));
  EXPECT_THROW(verify<double>(problem, expected, std::vector<double>{1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::matvec

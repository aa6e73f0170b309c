// Staged sums against sums known exactly, against recursive summation, and for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/apps/stencil/verify/verify.hpp"

namespace speedwell::stencil {
namespace {

constexpr Grid awkward[] = {{1, 1, 1}, {17, 9, 12}, {1, 1, 4099}, {31, 1, 7}, {64, 65, 33}};

TEST(StencilSum, OddSquaresGiveTheClosedFormInEveryVariant) {
  // 1^2 + 3^2 + ... + (2n - 1)^2 = n (2n - 1) (2n + 1) / 3; scaled by 2^-10, all sums of 2^43 and less are exact.
  for (const Grid& g : awkward) {
    const std::int64_t n = g.size();
    std::vector<double> v(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = 0x1p-10 * static_cast<double>(2 * i + 1);
    const double expected = 0x1p-20 * static_cast<double>(n * (2 * n - 1) * (2 * n + 1) / 3);
    EXPECT_EQ(static_cast<double>(reference_sum_of_squares(v.data(), n)), expected);
    EXPECT_EQ(reference_running_sum(v.data(), n), expected);
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(sum_of_squares<double>(v, threads), expected);
      EXPECT_EQ(sum_of_squares_in_stages<double>(g, v, threads), expected);
    }
  }
}

TEST(StencilSum, ReferenceLosesNothingThatALongDoubleHolds) {
  // 1 and then 2^20 times 2^-64, each of which recursive summation would lose.
  std::vector<double> v((std::size_t{1} << 20) + 1, 0x1p-32);
  v[0] = 1;
  const long double sum = reference_sum_of_squares(v.data(), static_cast<std::int64_t>(v.size()));
  EXPECT_EQ(sum, 1 + 0x1p-44L);
  EXPECT_EQ(reference_running_sum(v.data(), static_cast<std::int64_t>(v.size())), 1.0);
}

TEST(StencilSum, StagesKeepDigitsThatARunningSumInFloatLoses) {
  const Grid g{160, 160, 160};
  const Fields<float> fields({.form = Form::constant, .grid = g, .values = Values::random});
  const std::span<const float> v = fields.x().span();
  const long double exact = reference_sum_of_squares(v.data(), g.size());
  const double running = static_cast<double>(std::abs(reference_running_sum(v.data(), g.size()) - exact) / exact);
  const double staged = sum_of_squares_in_stages<float>(g, v), lanes = sum_of_squares<float>(v);
  EXPECT_GT(running, 1e-4);
  const auto verdict = [&](SumOrder order, double sum) {
    return verify_sum<float>(g, Values::random, order, exact, sum);
  };
  EXPECT_TRUE(verdict(SumOrder::stages, staged).passed);
  EXPECT_TRUE(verdict(SumOrder::lanes, lanes).passed);
  EXPECT_LT(verdict(SumOrder::stages, staged).error, 1e-6);
  EXPECT_LT(verdict(SumOrder::lanes, lanes).error, 1e-13);  // f64 for data of either precision
  EXPECT_FALSE(verdict(SumOrder::lanes, staged).passed);
  EXPECT_FALSE(verdict(SumOrder::stages, std::numeric_limits<double>::quiet_NaN()).passed);
  EXPECT_FALSE(verdict(SumOrder::lanes, std::numeric_limits<double>::quiet_NaN()).passed);
}

// A row or a block of the published sizes that is left out; a worst case of nx + ny + nz units in single precision
// would have masked 18,000 values of 512^3.
TEST(StencilSum, VerdictFindsWhatIsLeftOut) {
  for (const std::int64_t n : {64, 96}) {
    const Grid g{n, n, n};
    const Fields<float> fields({.form = Form::constant, .grid = g, .values = Values::random});
    const std::span<const float> v = fields.x().span();
    const long double exact = reference_sum_of_squares(v.data(), g.size());
    const auto without = [&](std::int64_t first, std::int64_t count) {
      std::vector<float> some(v.begin(), v.end());
      std::fill_n(some.begin() + first, count, 0.0f);
      return some;
    };
    for (const std::int64_t first : {std::int64_t{0}, g.size() / 2, g.size() - n}) {
      const double staged = sum_of_squares_in_stages<float>(g, without(first, n));
      EXPECT_FALSE(verify_sum<float>(g, Values::random, SumOrder::stages, exact, staged).passed) << first;
      const double lanes = sum_of_squares<float>(without(first, 1));
      EXPECT_FALSE(verify_sum<float>(g, Values::random, SumOrder::lanes, exact, lanes).passed) << first;
    }
  }
  // One row of 512 values missing from 512^3: a fraction of 1 / 512^2 of the sum.
  const Grid large{512, 512, 512};
  EXPECT_FALSE(verify_sum<float>(large, Values::random, SumOrder::stages, 1, 1 - 0x1p-18).passed);
  EXPECT_FALSE(verify_sum<float>(large, Values::random, SumOrder::lanes, 1, 1 - 0x1p-27).passed);
}

TEST(StencilSum, HasTheSameBitsForAnyNumberOfThreadsAndRefusesAnotherSize) {
  const Grid g{33, 21, 57};
  const Fields<double> fields({.form = Form::constant, .grid = g, .values = Values::random});
  const std::span<const double> v = fields.x().span();
  const double one = sum_of_squares<double>(v, 1), staged = sum_of_squares_in_stages<double>(g, v, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(sum_of_squares<double>(v, threads), one);
    EXPECT_EQ(sum_of_squares_in_stages<double>(g, v, threads), staged);
  }
  EXPECT_THROW(sum_of_squares_in_stages<double>({33, 21, 56}, v), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::stencil

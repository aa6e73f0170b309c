// The serial reference against what is known without it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/apps/matvec/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::matvec {
namespace {

SPEEDWELL_EACH_PRECISION(MatvecReference);

TYPED_TEST(MatvecReference, TwoByThreeByHand) {
  const std::vector<TypeParam> a{1, 2, 3, 4, 5, 6}, b{7, -8, 9};
  std::vector<TypeParam> c(2);
  multiply_serially(Matrix<TypeParam>(a.data(), 2, 3, 3), std::span<const TypeParam>(b), std::span<TypeParam>(c));
  EXPECT_EQ(c, (std::vector<TypeParam>{18, 42}));
}

// Computed independently with arbitrary-precision integers.
TYPED_TEST(MatvecReference, GivesTheTableOfExactIntegers) {
  struct Row {
    std::int64_t rows, columns;
    double first, second, last, sum, sum_of_squares;
  };
  for (const Row& row : {Row{16, 16, 24, 11, 50, 48, 48560}, Row{64, 4096, 28, 38, 63, 22, 332868},
                         Row{256, 256, 11, -40, 11, 11, 329071}, Row{1000, 37, 44, 54, 106, -4, 6898372},
                         Row{1024, 1024, -36, 31, 80, 139, 8344113}}) {
    Data<TypeParam> d({.rows = row.rows, .columns = row.columns, .values = Values::integers});
    multiply_serially(d.matrix(), d.vector(), std::span(d.c));
    double sum = 0, sum_of_squares = 0;
    for (const double x : d.c) {
      sum += x;
      sum_of_squares += x * x;
    }
    EXPECT_EQ(d.c.front(), row.first) << row.rows << " x " << row.columns;
    EXPECT_EQ(d.c[1], row.second) << row.rows << " x " << row.columns;
    EXPECT_EQ(d.c.back(), row.last) << row.rows << " x " << row.columns;
    EXPECT_EQ(sum, row.sum) << row.rows << " x " << row.columns;
    EXPECT_EQ(sum_of_squares, row.sum_of_squares) << row.rows << " x " << row.columns;
    // The oracle does not know the table either.
    EXPECT_EQ(d.expected().value.front(), row.first);
    EXPECT_EQ(d.expected().value.back(), row.last);
    EXPECT_TRUE(d.verify_result().passed);
  }
}

TYPED_TEST(MatvecReference, OnesGiveTheSumOfBAndTwiceOnesTwiceThat) {
  Data<TypeParam> d({.rows = 5, .columns = 100});
  std::fill(d.a.begin(), d.a.end(), TypeParam{1});
  multiply_serially(d.matrix(), d.vector(), std::span(d.c));
  TypeParam sum = 0;
  for (const TypeParam x : d.b) sum += x;
  EXPECT_EQ(d.c, std::vector<TypeParam>(5, sum));
  std::fill(d.a.begin(), d.a.end(), TypeParam{2});
  multiply_serially(d.matrix(), d.vector(), std::span(d.c));
  EXPECT_EQ(d.c, std::vector<TypeParam>(5, 2 * sum));
}

// 2^60 + 1 - 2^60: f64 alone says 0, and so would an oracle in f64.
TEST(MatvecOracle, KeepsWhatF64Loses) {
  const Problem problem{.rows = 1, .columns = 3};
  const std::vector<double> a{0x1p60, 1, -0x1p60}, b{1, 1, 1};
  EXPECT_EQ(expect<double>(problem, a, b).value[0], 1);
  // (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60: the rounding of the product alone hides it.
  const Problem pair{.rows = 1, .columns = 2};
  const std::vector<double> x{1 + 0x1p-30, -(1 + 0x1p-29)}, y{1 + 0x1p-30, 1};
  EXPECT_EQ(expect<double>(pair, x, y).value[0], 0x1p-60);
}

TEST(MatvecOracle, AllowsWhatTheRoundingBoundAllows) {
  const std::vector<float> a{3, -4}, b{1, 2};
  const double u = 0x1p-24, gamma = 2 * u / (1 - 2 * u);
  const Expected expected = expect_any_data<float>({a.data(), 1, 2, 2}, std::span<const float>(b));
  EXPECT_EQ(expected.value[0], -5);
  EXPECT_DOUBLE_EQ(expected.tolerance[0], gamma * 11);
  // Random data of mean zero stay within 128 roundings however long the rows; any data need one for each column.
  const Data<float> d({.rows = 1, .columns = 100000});
  const double random = d.expected().tolerance[0];
  const double any = expect_any_data<float>(d.matrix(), d.vector()).tolerance[0];
  EXPECT_NEAR(any / random, 100000.0 / 128, 8);
}

TEST(MatvecProblem, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(require_problem<double>({.rows = 0, .columns = 1}), std::invalid_argument);
  EXPECT_THROW(require_problem<double>({.rows = 1, .columns = 0}), std::invalid_argument);
  EXPECT_THROW(require_problem<double>({.rows = -1, .columns = -1}), std::invalid_argument);
  EXPECT_THROW(require_problem<double>({.rows = std::int64_t{1} << 31, .columns = std::int64_t{1} << 30}),
               std::invalid_argument);
  EXPECT_NO_THROW(require_problem<float>({.rows = std::int64_t{1} << 30, .columns = std::int64_t{1} << 30}));
  EXPECT_NO_THROW(require_problem<float>({.rows = 1, .columns = 419430, .values = Values::integers}));
  EXPECT_THROW(require_problem<float>({.rows = 1, .columns = 419431, .values = Values::integers}),
               std::invalid_argument);
  EXPECT_NO_THROW(require_problem<double>({.rows = 1, .columns = 419431, .values = Values::integers}));
}

TEST(MatvecProblem, SeedsGiveDifferentDataAndTheSameSeedTheSame) {
  const Data<double> one({.rows = 3, .columns = 5, .seed = 1}), again({.rows = 3, .columns = 5, .seed = 1});
  const Data<double> two({.rows = 3, .columns = 5, .seed = 2});
  EXPECT_EQ(one.a, again.a);
  EXPECT_EQ(one.b, again.b);
  EXPECT_NE(one.a, two.a);
  EXPECT_NE(one.b, two.b);
  EXPECT_NE(std::vector<double>(one.a.begin(), one.a.begin() + 5), one.b);
}

}  // namespace
}  // namespace speedwell::matvec

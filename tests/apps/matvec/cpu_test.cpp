// The CPU's variants against the oracle, on the shapes at which loops go wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "speedwell/apps/matvec/cpu_rows.hpp"
#include "tests/apps/matvec/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::matvec {
namespace {

SPEEDWELL_EACH_PRECISION(MatvecCpu);

template <class T>
void expect_same_bits(const std::vector<T>& x, const std::vector<T>& y, const std::string& what) {
  ASSERT_EQ(x.size(), y.size());
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(T)), 0) << what;
}

TYPED_TEST(MatvecCpu, AgreesWithTheOracleOnAwkwardShapes) {
  for (const auto& [rows, columns] : awkward_shapes)
    for (const Values values : {Values::integers, Values::random}) {
      Data<TypeParam> d({.rows = rows, .columns = columns, .values = values});
      const Expected expected = d.expected();
      multiply_serially(d.matrix(), d.vector(), std::span(d.c));
      EXPECT_TRUE(verify<TypeParam>(d.problem, expected, d.c).passed) << "serial, " << rows << " x " << columns;
      for (const int threads : {1, 3}) {
        std::fill(d.c.begin(), d.c.end(), std::numeric_limits<TypeParam>::quiet_NaN());
        multiply(d.matrix(), d.vector(), std::span(d.c), threads);
        EXPECT_TRUE(verify<TypeParam>(d.problem, expected, d.c).passed)
            << threads << " threads, " << rows << " x " << columns;
      }
    }
}

TYPED_TEST(MatvecCpu, EveryInstructionSetAgreesWithTheOracle) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    for (const auto& [rows, columns] : awkward_shapes)
      for (const Values values : {Values::integers, Values::random}) {
        Data<TypeParam> d({.rows = rows, .columns = columns, .values = values});
        const RowKernels kernels = row_kernels(isa);
        const auto run = [&](auto* kernel) { kernel(d.a.data(), columns, d.b.data(), d.c.data(), 1, rows, columns); };
        if constexpr (std::is_same_v<TypeParam, float>)
          run(kernels.f32);
        else
          run(kernels.f64);
        EXPECT_TRUE(d.verify_result().passed) << to_string(isa) << ", " << rows << " x " << columns;
      }
  }
}

TYPED_TEST(MatvecCpu, TheBitsDoNotDependOnTheThreads) {
  for (const auto& [rows, columns] : {std::pair{1003, 777}, std::pair{5, 200003}, std::pair{1, 300000}}) {
    Data<TypeParam> d({.rows = rows, .columns = columns});
    multiply(d.matrix(), d.vector(), std::span(d.c), 1);
    const auto one = d.c;
    for (const int threads : {2, 3, 8})
      for (int repeat = 0; repeat < 3; ++repeat) {
        multiply(d.matrix(), d.vector(), std::span(d.c), threads);
        expect_same_bits(one, d.c, std::to_string(threads) + " threads");
      }
  }
}

// Every row is summed in the same order, independent of its position and of the number of rows.
TYPED_TEST(MatvecCpu, EqualRowsGiveEqualBits) {
  for (const int columns : {3, 37, 100, 4097}) {
    Data<TypeParam> d({.rows = 11, .columns = columns});
    for (int i = 1; i < 11; ++i) std::copy_n(d.a.begin(), columns, d.a.begin() + i * columns);
    multiply(d.matrix(), d.vector(), std::span(d.c), 2);
    expect_same_bits(d.c, std::vector<TypeParam>(11, d.c[0]), std::to_string(columns) + " columns");
  }
}

TYPED_TEST(MatvecCpu, TheIdentityReturnsB) {
  for (const std::int64_t n : {1, 5, 64, 130}) {
    Data<TypeParam> d({.rows = n, .columns = n});
    std::fill(d.a.begin(), d.a.end(), TypeParam{0});
    for (std::int64_t i = 0; i < n; ++i) d.a[i * n + i] = 1;
    multiply(d.matrix(), d.vector(), std::span(d.c), 2);
    EXPECT_EQ(d.c, d.b);
  }
}

TYPED_TEST(MatvecCpu, ScalingByTwoIsExact) {
  Data<TypeParam> d({.rows = 50, .columns = 333});
  multiply(d.matrix(), d.vector(), std::span(d.c), 2);
  auto twice = d.c;
  for (auto& x : twice) x *= 2;
  for (auto& x : d.a) x *= 2;
  multiply(d.matrix(), d.vector(), std::span(d.c), 2);
  expect_same_bits(twice, d.c, "2 A");
}

TYPED_TEST(MatvecCpu, ANaNSpoilsItsRowAndOneInBEveryRow) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const std::int64_t columns : {1, 7, 16, 37, 40000})
    for (const std::int64_t j : {std::int64_t{0}, columns / 2, columns - 1}) {
      Data<TypeParam> d({.rows = 9, .columns = columns});
      d.a[4 * columns + j] = nan;
      multiply(d.matrix(), d.vector(), std::span(d.c), 2);
      for (int i = 0; i < 9; ++i) EXPECT_EQ(std::isnan(d.c[i]), i == 4) << columns << " columns, row " << i;
      d.b[j] = nan;
      multiply(d.matrix(), d.vector(), std::span(d.c), 2);
      for (const TypeParam x : d.c) EXPECT_TRUE(std::isnan(x));
    }
}

// A masked lane must not turn an infinity elsewhere in the row into a NaN.
TYPED_TEST(MatvecCpu, AnInfinityStaysAnInfinity) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  for (const std::int64_t columns : {1, 7, 16, 17, 37, 63, 4099})
    for (std::int64_t j = 0; j < std::min<std::int64_t>(columns, 64); ++j) {
      Data<TypeParam> d({.rows = 5, .columns = columns});
      for (auto& x : d.b) x = std::abs(x) + TypeParam{1};
      d.a[2 * columns + columns - 1 - j] = -infinity;
      multiply(d.matrix(), d.vector(), std::span(d.c), 1);
      for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(i == 2 ? d.c[i] == -infinity : std::isfinite(d.c[i])) << columns << " columns, row " << i;
    }
}

// Rows lie `leading` apart; what is between them, here NaN, is not read into any sum.
TYPED_TEST(MatvecCpu, TheLeadingDimensionIsHonoured) {
  const std::int64_t rows = 21, columns = 45, leading = 52;
  Data<TypeParam> d({.rows = rows, .columns = columns, .values = Values::integers});
  std::vector<TypeParam> spread(rows * leading, std::numeric_limits<TypeParam>::quiet_NaN());
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(d.a.begin() + i * columns, columns, spread.begin() + i * leading);
  const Matrix<TypeParam> matrix(spread.data(), rows, columns, leading);
  multiply({spread.data(), rows, columns, leading}, d.b, d.c, 2);  // as in the README
  EXPECT_TRUE(d.verify_result().passed);
  std::fill(d.c.begin(), d.c.end(), TypeParam{-1});
  multiply_serially(matrix, d.vector(), std::span(d.c));
  EXPECT_TRUE(d.verify_result().passed);
}

TYPED_TEST(MatvecCpu, ViewsAreMatricesWithoutGaps) {
  Data<TypeParam> d({.rows = 6, .columns = 4, .values = Values::integers});
  multiply(core::View<TypeParam, 2>(d.a.data(), {{6, 4}}), d.vector(), std::span(d.c), 1);
  EXPECT_TRUE(d.verify_result().passed);
}

TYPED_TEST(MatvecCpu, WritesNothingBesideC) {
  Data<TypeParam> d({.rows = 67, .columns = 70001, .values = Values::integers});
  std::vector<TypeParam> guarded(67 + 16, TypeParam{-77});
  multiply(d.matrix(), d.vector(), std::span(guarded).subspan(8, 67), 2);
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(guarded[k], -77);
    EXPECT_EQ(guarded[8 + 67 + k], -77);
  }
}

TYPED_TEST(MatvecCpu, RefusesABrokenContract) {
  std::vector<TypeParam> a(12), b(4), c(3);
  const std::span<const TypeParam> right_b(b), short_b(b.data(), 3);
  const std::span<TypeParam> right_c(c), short_c(c.data(), 2);
  const Matrix<TypeParam> right(a.data(), 3, 4, 4);
  EXPECT_NO_THROW(multiply(right, right_b, right_c, 1));
  EXPECT_THROW(multiply(right, short_b, right_c, 1), std::invalid_argument);
  EXPECT_THROW(multiply(right, right_b, short_c, 1), std::invalid_argument);
  EXPECT_THROW(multiply(right, right_b, right_c, 0), std::invalid_argument);
  EXPECT_THROW(multiply_serially(right, short_b, right_c), std::invalid_argument);
  EXPECT_THROW(multiply(Matrix<TypeParam>(a.data(), 3, 4, 3), right_b, right_c, 1), std::invalid_argument);
  EXPECT_THROW(multiply(Matrix<TypeParam>(a.data(), 0, 4, 4), right_b, right_c, 1), std::invalid_argument);
  EXPECT_THROW(multiply(Matrix<TypeParam>(a.data(), 3, 0, 4), right_b, right_c, 1), std::invalid_argument);
  EXPECT_THROW(multiply(Matrix<TypeParam>(a.data(), std::int64_t{1} << 60, 4, 4), right_b, right_c, 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::matvec

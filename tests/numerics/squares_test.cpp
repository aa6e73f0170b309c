#include "speedwell/numerics/squares.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/precisions.hpp"

namespace speedwell::numerics::squares {
namespace {

SPEEDWELL_EACH_PRECISION(NumericsSquares);

TYPED_TEST(NumericsSquares, AreTransposedInRegisters) {
  constexpr int lanes = width<TypeParam>;
  Vector<TypeParam> rows[lanes];
  for (int r = 0; r < lanes; ++r)
    for (int l = 0; l < lanes; ++l) rows[r][l] = static_cast<TypeParam>(r * lanes + l);
  transpose<TypeParam>(rows);
  for (int r = 0; r < lanes; ++r)
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(rows[r][l], static_cast<TypeParam>(l * lanes + r));
}

TYPED_TEST(NumericsSquares, AreTransposedWhileLoadedAndStored) {
  constexpr int lanes = width<TypeParam>, apart = lanes + 3;
  std::vector<TypeParam> values(lanes * apart);
  for (int n = 0; n < lanes * apart; ++n) values[n] = static_cast<TypeParam>(n);
  const std::vector<TypeParam> before = values;
  Vector<TypeParam> columns[lanes];
  load_transposed<TypeParam>(values.data() + 1, apart, columns);
  for (int c = 0; c < lanes; ++c) {
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(columns[c][l], before[l * apart + 1 + c]);
    columns[c] = columns[c] + core::simd::broadcast<TypeParam>(1);
  }
  store_transposed<TypeParam>(values.data() + 1, apart, columns);
  for (int n = 0; n < lanes * apart; ++n) {
    const bool written = n % apart >= 1 && n % apart <= lanes;
    EXPECT_EQ(values[n], static_cast<TypeParam>(before[n] + (written ? 1 : 0))) << n;
  }
}

}  // namespace
}  // namespace speedwell::numerics::squares

#include "speedwell/core/simd/simd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace speedwell::core::simd {
namespace {

template <class T>
class Simd : public testing::Test {
 protected:
  static Vector<T> from(int first, int step = 1) {
    Vector<T> v;
    for (int l = 0; l < width<T>; ++l) v[l] = static_cast<T>(first + l * step);
    return v;
  }
};
using Elements = testing::Types<float, double, std::int32_t, std::int16_t, std::uint8_t>;
TYPED_TEST_SUITE(Simd, Elements);

TYPED_TEST(Simd, LoadsAndStoresAnywhereInAnArray) {
  constexpr int lanes = width<TypeParam>;
  std::vector<TypeParam> values(2 * lanes + 1);
  for (int n = 0; n < 2 * lanes + 1; ++n) values[n] = static_cast<TypeParam>(n);
  const Vector<TypeParam> v = load(values.data() + 1);
  store(values.data() + lanes + 1, v);
  for (int l = 0; l < lanes; ++l) EXPECT_EQ(values[lanes + 1 + l], static_cast<TypeParam>(1 + l));
  EXPECT_EQ(values[lanes], static_cast<TypeParam>(lanes));
}

TYPED_TEST(Simd, NumbersLanesAndShiftsThem) {
  constexpr int lanes = width<TypeParam>;
  const auto numbers = iota<Vector<TypeParam>>();
  const auto shifted = shifted_in<TypeParam>(numbers, TypeParam(99));
  const auto nine = broadcast<TypeParam>(9);
  for (int l = 0; l < lanes; ++l) {
    EXPECT_EQ(numbers[l], static_cast<TypeParam>(l));
    EXPECT_EQ(shifted[l], static_cast<TypeParam>(l == 0 ? 99 : l - 1));
    EXPECT_EQ(nine[l], TypeParam(9));
    EXPECT_EQ(max(numbers, broadcast<TypeParam>(1))[l], static_cast<TypeParam>(l > 1 ? l : 1));
  }
}

TYPED_TEST(Simd, SumsNeighboursOfBothVectors) {
  constexpr int lanes = width<TypeParam>;
  const auto sums = pairwise_add<TypeParam>(TestFixture::from(0), TestFixture::from(100));
  for (int l = 0; l < lanes / 2; ++l) {
    EXPECT_EQ(sums[l], static_cast<TypeParam>(4 * l + 1));
    EXPECT_EQ(sums[lanes / 2 + l], static_cast<TypeParam>(200 + 4 * l + 1));
  }
}

TYPED_TEST(Simd, TransposesASquare) {
  constexpr int lanes = width<TypeParam>;
  Vector<TypeParam> rows[lanes];
  for (int r = 0; r < lanes; ++r) rows[r] = TestFixture::from(r * lanes);
  transpose<TypeParam>(rows);
  for (int r = 0; r < lanes; ++r)
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(rows[r][l], static_cast<TypeParam>(l * lanes + r)) << r << ',' << l;
}

TEST(SimdOfReals, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(broadcast(-0.0)[1]));
  EXPECT_TRUE(std::signbit(broadcast(-0.0f)[3]));
}

// (1 + 2^-k)^2 - 1 - 2^(1-k) is 2^-2k exactly, and 0 when the product is rounded first.
TEST(SimdOfReals, RoundsAProductAndASumOnce) {
  const double x = 1 + 0x1p-40;
  EXPECT_EQ(fma(broadcast(x), broadcast(x), broadcast(-1 - 0x1p-39))[0], 0x1p-80);
  const float y = 1 + 0x1p-20f;
  EXPECT_EQ(fma(broadcast(y), broadcast(y), broadcast(-1 - 0x1p-19f))[3], 0x1p-40f);
}

}  // namespace
}  // namespace speedwell::core::simd

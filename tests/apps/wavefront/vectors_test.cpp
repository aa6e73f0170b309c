#include "speedwell/apps/wavefront/vectors.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace speedwell::wavefront::vectors {
namespace {

template <class T>
class WavefrontVectors : public testing::Test {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(WavefrontVectors, Elements);

template <class T>
Vector<T> from(int first) {
  Vector<T> v;
  for (int l = 0; l < width<T>; ++l) v[l] = static_cast<T>(first + l);
  return v;
}

TYPED_TEST(WavefrontVectors, TransposesSquaresOfRowsInMemory) {
  constexpr int lanes = width<TypeParam>, apart = lanes + 3;
  std::vector<TypeParam> values(lanes * apart);
  for (int n = 0; n < lanes * apart; ++n) values[n] = static_cast<TypeParam>(n);
  const std::vector<TypeParam> before = values;
  Vector<TypeParam> columns[lanes];
  load_transposed<TypeParam>(values.data() + 1, apart, columns);
  for (int c = 0; c < lanes; ++c) {
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(columns[c][l], before[l * apart + 1 + c]);
    columns[c] = columns[c] + simd::broadcast<TypeParam>(1);
  }
  store_transposed<TypeParam>(values.data() + 1, apart, columns);
  for (int n = 0; n < lanes * apart; ++n) {
    const bool written = n % apart >= 1 && n % apart <= lanes;
    EXPECT_EQ(values[n], static_cast<TypeParam>(before[n] + (written ? 1 : 0))) << n;
  }
}

TYPED_TEST(WavefrontVectors, LoadsAndStoresPartsOfVectors) {
  constexpr int lanes = width<TypeParam>;
  for (int first = 0; first <= lanes; ++first)
    for (int last = first; last <= lanes; ++last) {
      std::vector<TypeParam> values(last, TypeParam(7));  // ends where it may, so that a sanitizer sees what passes it
      const Vector<TypeParam> v = load_part(values.data(), first, last);
      for (int l = 0; l < lanes; ++l)
        EXPECT_EQ(v[l], TypeParam(l >= first && l < last ? 7 : 0)) << first << " " << last;
      store_part(values.data(), from<TypeParam>(20), first, last);
      for (int l = 0; l < last; ++l) EXPECT_EQ(values[l], TypeParam(l >= first ? 20 + l : 7)) << first << " " << last;
    }
}

TYPED_TEST(WavefrontVectors, JoinsTheEndOfAVectorAndTheBeginningOfAnother) {
  constexpr int lanes = width<TypeParam>;
  for (int first = 0; first <= lanes; ++first) {
    const auto v = joined<TypeParam>(from<TypeParam>(0), from<TypeParam>(lanes), first);
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(v[l], TypeParam(first + l));
  }
}

}  // namespace
}  // namespace speedwell::wavefront::vectors

#include "speedwell/apps/wavefront/cpu/vectors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/precisions.hpp"

namespace speedwell::wavefront::vectors {
namespace {

SPEEDWELL_EACH_PRECISION(WavefrontVectors);

template <class T>
Vector<T> from(int first) {
  Vector<T> v;
  for (int l = 0; l < width<T>; ++l) v[l] = static_cast<T>(first + l);
  return v;
}

TYPED_TEST(WavefrontVectors, LoadsAndStoresPartsOfVectors) {
  constexpr int lanes = width<TypeParam>;
  for (int first = 0; first <= lanes; ++first)
    for (int last = first; last <= lanes; ++last) {
      std::vector<TypeParam> values(last,
                                    TypeParam(7));  // no padding, so that a sanitizer detects accesses beyond the end
      const Vector<TypeParam> v = load_partial(values.data(), first, last);
      for (int l = 0; l < lanes; ++l)
        EXPECT_EQ(v[l], TypeParam(l >= first && l < last ? 7 : 0)) << first << " " << last;
      store_partial(values.data(), from<TypeParam>(20), first, last);
      for (int l = 0; l < last; ++l) EXPECT_EQ(values[l], TypeParam(l >= first ? 20 + l : 7)) << first << " " << last;
    }
}

TYPED_TEST(WavefrontVectors, JoinsTheEndOfAVectorAndTheBeginningOfAnother) {
  constexpr int lanes = width<TypeParam>;
  for (int first = 0; first <= lanes; ++first) {
    const auto v = concatenate_shifted<TypeParam>(from<TypeParam>(0), from<TypeParam>(lanes), first);
    for (int l = 0; l < lanes; ++l) EXPECT_EQ(v[l], TypeParam(first + l));
  }
}

}  // namespace
}  // namespace speedwell::wavefront::vectors

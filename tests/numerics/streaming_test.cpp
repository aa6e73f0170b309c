#include "speedwell/numerics/streaming.hpp"

#include <gtest/gtest.h>

#include "tests/support/precisions.hpp"

namespace speedwell::numerics::streaming {
namespace {

SPEEDWELL_EACH_PRECISION(NumericsStreaming);

TYPED_TEST(NumericsStreaming, StoresTheWholeVectorAndNothingElse) {
  constexpr int lanes = core::simd::width<TypeParam>;
  alignas(core::simd::vector_bytes) TypeParam values[3 * lanes] = {};
  store(values + lanes, core::simd::iota<Vector<TypeParam>>() + TypeParam{5});
  fence();
  for (int l = 0; l < 3 * lanes; ++l)
    EXPECT_EQ(values[l], l / lanes == 1 ? static_cast<TypeParam>(l - lanes + 5) : TypeParam{}) << l;
}

}  // namespace
}  // namespace speedwell::numerics::streaming

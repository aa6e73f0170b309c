// What the light of cloudy columns does at the interfaces of layers: which shares of a region's light enter the regions
// on the other side.
#include <gtest/gtest.h>

#include "speedwell/apps/two_stream/layer.hpp"
#include "speedwell/apps/two_stream/regions.hpp"

namespace speedwell::two_stream {
namespace {

using M = ScalarMath<double>;

double share(const Crossing<double>& c, int to, int from) {
  return (to == from ? c.stays[from] : 0) + c.enters[to] * c.leaves[from];
}

TEST(TwoStreamOverlap, IsMaximalBetweenLikeRegionsAndRandomBetweenOthers) {
  // Clear 0.5 -> 0.2, stratiform 0.3 -> 0.5, convective 0.2 -> 0.3: 0.3 of the area was clear and becomes cloudy.
  const auto o = overlap<M>(areas<M>(0.3, 0.2), areas<M>(0.5, 0.3));
  const double down[3][3] = {{0.4, 0, 0}, {0.4, 1, 0}, {0.2, 0, 1}};
  const double up[3][3] = {{1, 0.4, 1 / 3.0}, {0, 0.6, 0}, {0, 0, 2 / 3.0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(share(o.down, i, j), down[i][j], 1e-15) << i << j;
      EXPECT_NEAR(share(o.up, i, j), up[i][j], 1e-15) << i << j;
    }
}

TEST(TwoStreamOverlap, ConservesEnergyAndMapsAreasToAreas) {
  for (int number = 0; number < 9 * 9; ++number) {
    // Areas of 0, 1/2 and 1 of both cloudy regions, where their sum is at most 1.
    const double a[2] = {number % 3 / 2.0, number / 3 % 3 / 2.0}, b[2] = {number / 9 % 3 / 2.0, number / 27 / 2.0};
    if (a[0] + a[1] > 1 || b[0] + b[1] > 1) continue;
    const auto above = areas<M>(a[0], a[1]), below = areas<M>(b[0], b[1]);
    const auto o = overlap<M>(above, below);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(share(o.down, 0, j) + share(o.down, 1, j) + share(o.down, 2, j), 1, 1e-15) << number;
      EXPECT_NEAR(share(o.up, 0, j) + share(o.up, 1, j) + share(o.up, 2, j), 1, 1e-15) << number;
      EXPECT_NEAR(crossed(o.down, {{above.of[0], above.of[1], above.of[2]}}).of[j], below.of[j], 1e-15) << number;
      EXPECT_NEAR(crossed(o.up, {{below.of[0], below.of[1], below.of[2]}}).of[j], above.of[j], 1e-15) << number;
    }
  }
}

}  // namespace
}  // namespace speedwell::two_stream

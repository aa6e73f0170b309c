// The oracles against published checksums, against each other, and against the closed form.
#include "speedwell/apps/wavefront/verify/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/precisions.hpp"

namespace speedwell::wavefront {
namespace {

constexpr Extents cube(std::int64_t n) { return {n, n, n}; }

template <class T>
std::uint64_t swept(const GridOptions& options, const Recurrence<T>& recurrence = {}) {
  Grid<T> grid = make_grid<T>(options);
  reference::sweep(grid, recurrence);
  return checksum(grid.cells);
}

struct Sums {
  std::int64_t n;
  Inflow inflow;
  std::uint64_t f64, f32;
};

TEST(WavefrontReference, Listing1OfDataThatDoNotRound) {
  for (const Sums& sums : {Sums{3, Inflow::zero, 0x13ca32d15981ed35, 0xd5757c2722ba0ac2},
                           Sums{3, Inflow::random, 0x666abec72106c77d, 0x39739d2438d4debe},
                           Sums{8, Inflow::zero, 0x64ba88c98fa7e95d, 0x10fd561aa78ac5ff},
                           Sums{8, Inflow::random, 0x9b35baf6d0e4817a, 0xa8ed94e52ad42b42},
                           Sums{40, Inflow::zero, 0xfdfa3d065f560c62, 0x3f14b4f5c699df5c},
                           Sums{40, Inflow::random, 0xc0390c1a328789a2, 0x1ce81d57c7551b69},
                           Sums{160, Inflow::zero, 0xf1beebaba3cdb1cd, 0xdf004a1f682ed182},
                           Sums{160, Inflow::random, 0x154b14adf35f6255, 0x485e1b3d9c0755d4}}) {
    EXPECT_EQ(swept<double>({.extents = cube(sums.n), .inflow = sums.inflow, .bits = 50}), sums.f64) << sums.n;
    EXPECT_EQ(swept<float>({.extents = cube(sums.n), .inflow = sums.inflow, .bits = 22}), sums.f32) << sums.n;
  }
}

TEST(WavefrontReference, Listing1OfDataThatRound) {
  for (const Sums& sums : {Sums{3, Inflow::zero, 0xb7a311e14dd145c7, 0xec1d1c589e92ded3},
                           Sums{8, Inflow::zero, 0x4d079524d86cc72a, 0xbbc8c731b7c280e9},
                           Sums{40, Inflow::zero, 0xc3238757b030d4ba, 0xe33cbee322d9e8fe},
                           Sums{160, Inflow::zero, 0xb6fc51b27efc5410, 0xb0291b0d3edfd81f}}) {
    EXPECT_EQ(swept<double>({.extents = cube(sums.n), .bits = 53}), sums.f64) << sums.n;
    EXPECT_EQ(swept<float>({.extents = cube(sums.n), .bits = 24}), sums.f32) << sums.n;
  }
}

struct LoopSums {
  std::int64_t n, loops;
  std::uint64_t f64, f32;
};

void expect_loops(const LoopSums& sums, Rounding rounding) {
  EXPECT_EQ(swept<double>({.extents = cube(sums.n), .bits = 53}, {.loops = sums.loops, .rounding = rounding}), sums.f64)
      << sums.n << ", " << sums.loops;
  EXPECT_EQ(swept<float>({.extents = cube(sums.n), .bits = 24}, {.loops = sums.loops, .rounding = rounding}), sums.f32)
      << sums.n << ", " << sums.loops;
}

TEST(WavefrontReference, Listing2) {
  for (const LoopSums& sums :
       {LoopSums{3, 1, 0x995558cd95d54ba7, 0x9504e3c9d9036f5c}, LoopSums{3, 5, 0x494115c8b92c7dfe, 0x98d671f48dec1a80},
        LoopSums{3, 10, 0x908a7ba90d562ea0, 0x6d8e29464955b022}, LoopSums{8, 1, 0xe46d2b77ebd77b44, 0x1b92131e733c1e56},
        LoopSums{8, 5, 0x3cc173e670799807, 0x2442a7faa4ff7089}, LoopSums{8, 10, 0x3760470789b718d1, 0xda900888eb317425},
        LoopSums{40, 1, 0xc6559b1afd37523a, 0xef58d43065d1ed7e},
        LoopSums{40, 5, 0x399b607b9a666fd7, 0xf083bc15783407c2},
        LoopSums{40, 10, 0x7366bf27a19ebb86, 0x7e9504582c8bf76e},
        LoopSums{160, 1, 0xa90bf2a9e2cdbe6e, 0xd07cd4ceaa0a6ae1}})
    expect_loops(sums, Rounding::separate);
}

TEST(WavefrontReference, Listing2Fused) {
  for (const LoopSums& sums :
       {LoopSums{8, 1, 0x9063bf3300eb4895, 0x372a30887636e153}, LoopSums{8, 5, 0x1a5b3fb73c2d3dff, 0x840ba5164eeda71c},
        LoopSums{8, 10, 0x110eeb3bf11f488c, 0x82967917f66b4c0c},
        LoopSums{40, 1, 0x975ca1bdcf18fb42, 0xbf31b8ab44e919ca},
        LoopSums{40, 5, 0x61fd26d9a464f356, 0x0e84668e61d9de9b},
        LoopSums{40, 10, 0xa91e99b6db8d1270, 0x39c1e76f0f29b7ce}})
    expect_loops(sums, Rounding::fused);
}

template <class T>
class WavefrontOracles : public ::testing::Test {
 protected:
  static constexpr int bits = std::numeric_limits<T>::digits == 53 ? 50 : 22;
};
TYPED_TEST_SUITE(WavefrontOracles, test::Precisions);

TYPED_TEST(WavefrontOracles, AgreeInEveryDirectionAndShape) {
  for (const Extents& extents :
       {Extents{1, 1, 1}, Extents{1, 7, 13}, Extents{11, 1, 5}, Extents{6, 17, 1}, Extents{9, 4, 31}})
    for (const Direction& direction : all_directions()) {
      const GridOptions options{.extents = extents, .inflow = Inflow::random, .bits = this->bits, .seed = 5};
      auto a = make_grid<TypeParam>(options), b = make_grid<TypeParam>(options);
      reference::sweep(a, {}, direction);
      reference::sweep_in_integers(b, this->bits, direction);
      EXPECT_TRUE(std::equal(a.cells.begin(), a.cells.end(), b.cells.begin())) << to_string(direction);
    }
}

TYPED_TEST(WavefrontOracles, CountThePathsToACell) {
  const Extents extents = cube(40);
  Grid<TypeParam> grid(extents);
  std::fill(grid.cells.begin(), grid.cells.end(), TypeParam(0));
  grid.cells[0] = std::ldexp(TypeParam(1), -this->bits);
  reference::sweep(grid, {});
  for (std::int64_t i = 0; i < 40; i += 3)
    for (std::int64_t j = 0; j < 40; j += 13)
      for (std::int64_t k = 0; k < 40; ++k)
        EXPECT_EQ(
            std::ldexp(static_cast<double>(grid.cells[static_cast<std::size_t>((i * 40 + j) * 40 + k)]), this->bits),
            static_cast<double>(reference::paths_to(i, j, k, this->bits)));
}

TEST(WavefrontWays, PublishedValues) {
  EXPECT_EQ(reference::paths_to(4, 5, 6, 50), 630630u);
  EXPECT_EQ(reference::paths_to(4, 5, 6, 22), 630630u);
  EXPECT_EQ(reference::paths_to(17, 20, 31, 50), 350668997277312u);
  EXPECT_EQ(reference::paths_to(17, 20, 31, 22), 276096u);
  EXPECT_EQ(reference::paths_to(39, 39, 39, 50), 51540151577216u);
  EXPECT_EQ(reference::paths_to(39, 39, 39, 22), 2960000u);
}

TEST(WavefrontProblem, PublishedDataAndDirections) {
  const auto grid = make_grid<double>({.extents = {1, 1, 3}, .bits = 50});
  EXPECT_EQ(grid.cells[0], 0.78878171091649385);
  EXPECT_EQ(grid.cells[1], 0.98034533010914693);
  EXPECT_EQ(grid.cells[2], 0.21264577315635069);
  for (const Direction& direction : all_directions()) EXPECT_EQ(direction_named(to_string(direction)), direction);
  EXPECT_THROW(direction_named("+-"), std::invalid_argument);
  EXPECT_THROW(direction_named("+-x"), std::invalid_argument);
}

TEST(WavefrontProblem, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(require_valid(Extents{0, 1, 1}), std::invalid_argument);
  EXPECT_THROW(require_valid(Extents{1 << 20, 1 << 20, 1 << 20}), std::invalid_argument);
  EXPECT_THROW(require_valid(Recurrence<float>{.c = 0}), std::invalid_argument);
  EXPECT_THROW(require_valid(Recurrence<float>{.c = 1e38f}), std::invalid_argument);
  EXPECT_THROW(require_valid(Recurrence<double>{.loops = -1}), std::invalid_argument);
  EXPECT_THROW(require_valid(Recurrence<double>{.loops = 1, .nd = INFINITY}), std::invalid_argument);
  EXPECT_THROW(make_grid<float>({.extents = cube(2), .bits = 25}), std::invalid_argument);
  // 1e20^2 is infinite in single precision, but the value of top after the last loop is not used.
  EXPECT_THROW(require_valid(Recurrence<float>{.loops = 3, .tc = 1e20f}), std::invalid_argument);
  EXPECT_NO_THROW(require_valid(Recurrence<float>{.loops = 2, .tc = 1e20f}));
  EXPECT_THROW(require_valid(Recurrence<float>{.loops = 200, .wc = 2, .wd = 0}), std::invalid_argument);
  EXPECT_NO_THROW(require_valid(Recurrence<double>{.loops = 200, .wc = -2}));
  EXPECT_NO_THROW(require_valid(Recurrence<float>{.loops = 1'000'000'000}));
  Grid<float> grid = make_grid<float>({.extents = cube(2), .bits = 24});
  EXPECT_THROW(reference::sweep_in_integers(grid, 22), std::invalid_argument);
  EXPECT_TRUE(stays_in_range(Recurrence<double>{.loops = 5}));
  EXPECT_FALSE(stays_in_range(Recurrence<double>{.loops = 5, .tc = 0.95}));
  EXPECT_FALSE(stays_in_range(Recurrence<float>{.loops = 1, .rd = -0.1f}));
  EXPECT_TRUE(stays_in_range(Recurrence<float>{.rd = -0.1f}));
  EXPECT_EQ(remainder_of(Recurrence<float>{.loops = 1, .rd = -0.1f}), Remainder::library);
  EXPECT_EQ(remainder_of(Recurrence<float>{.loops = 5}), Remainder::floor);
  EXPECT_EQ(remainder_of(Recurrence<double>{.c = 0.7}), Remainder::subtraction);
  EXPECT_EQ(remainder_of(Recurrence<double>{.c = 0x1p-20}), Remainder::floor);
  EXPECT_EQ(remainder_of(Recurrence<float>{.c = 0x1p-130f}), Remainder::subtraction) << "its inverse is infinite";
  EXPECT_EQ(remainder_of(Recurrence<float>{.c = 0x1p125f}), Remainder::floor);
  EXPECT_EQ(remainder_of(Recurrence<float>{.c = 3}), Remainder::subtraction);
}

}  // namespace
}  // namespace speedwell::wavefront

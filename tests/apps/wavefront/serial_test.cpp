// The serial sweep against the definition, bit by bit.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <random>

#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::wavefront {
namespace {

SPEEDWELL_EACH_PRECISION(WavefrontSerial);

TYPED_TEST(WavefrontSerial, RandomProblems) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    Recurrence<T> recurrence{.loops = std::array{0, 1, 5, 10}[static_cast<std::size_t>(below(4))],
                             .c = below(2) ? T(1) : T(0.7),
                             .rounding = below(2) ? Rounding::separate : Rounding::fused};
    if (below(4) == 0) recurrence.wc = T(-1.5), recurrence.td = T(0.9);  // leaves the range
    const GridOptions data{.extents = {1 + below(20), 1 + below(20), 1 + below(40)},
                           .inflow = below(3) ? Inflow::random : Inflow::zero,
                           .bits = std::numeric_limits<T>::digits,
                           .seed = static_cast<std::uint64_t>(round)};
    const Direction direction = all_directions()[static_cast<std::size_t>(below(8))];
    Grid<T> expected = make_grid<T>(data, recurrence.c), got = make_grid<T>(data, recurrence.c);
    reference::sweep(expected, recurrence, direction);
    sweep_serially(got, recurrence, direction);
    EXPECT_EQ(std::memcmp(expected.cells.data(), got.cells.data(), got.cells.bytes()), 0)
        << round << " " << to_string(direction) << " loops " << recurrence.loops;
  }
}

// The definition uses threads for a grid of this size.
TEST(WavefrontSerialChecksums, PublishedOnes) {
  auto grid = make_grid<double>({.extents = {160, 160, 160}});
  sweep_serially(grid, {.loops = 5});
  EXPECT_EQ(checksum(grid.cells), 0x5900b08d0a835701u);
  auto defined = make_grid<double>({.extents = {160, 160, 160}});
  reference::sweep(defined, {.loops = 5});
  EXPECT_EQ(checksum(defined.cells), 0x5900b08d0a835701u);
}

TEST(WavefrontSerialRefuses, AModulusBelowZero) {
  auto grid = make_grid<float>({.extents = {2, 2, 2}, .bits = 24});
  EXPECT_THROW(sweep_serially(grid, {.c = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront

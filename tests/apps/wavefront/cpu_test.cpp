// The multithreaded sweep against the definition, bit by bit: shapes, directions, precisions, loops, instruction sets.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"
#include "tests/apps/wavefront/random_problems.hpp"
#include "tests/support/precisions.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::wavefront {
namespace {

using test::same_bits;

std::vector<core::Isa> isas() {
  std::vector<core::Isa> all;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512})
    if (core::is_available(isa)) all.push_back(isa);
  return all;
}

template <class T>
void expect_same(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction,
                 const Options& options, std::uint64_t seed) {
  const GridOptions data = random_grid<T>(extents, seed);
  Grid<T> expected = make_grid<T>(data, recurrence.c), got = make_grid<T>(data, recurrence.c);
  reference::sweep(expected, recurrence, direction);
  sweep(got, recurrence, direction, options);
  EXPECT_TRUE(same_bits(expected.cells, got.cells))
      << extents.nx << " x " << extents.ny << " x " << extents.nz << " " << to_string(direction) << " loops "
      << recurrence.loops << " " << core::to_string(options.isa) << " planes " << options.planes << " row groups "
      << options.row_groups << " chunk " << options.chunk;
}

SPEEDWELL_EACH_PRECISION(WavefrontCpu);

TYPED_TEST(WavefrontCpu, RandomProblems) {
  RandomProblems random(7);
  const auto below = [&](std::int64_t n) { return random.below(n); };
  const auto directions = all_directions();
  for (std::uint64_t round = 0; round < 100; ++round) {
    const auto recurrence = random.recurrence<TypeParam>();
    for (const core::Isa isa : isas())
      expect_same<TypeParam>(
          {1 + below(round % 2 ? 48 : 9), 1 + below(round % 3 ? 40 : 5), 1 + below(round % 5 ? 97 : 3)}, recurrence,
          random.one_of(directions),
          {.threads = 1 + static_cast<int>(below(4)),
           .isa = isa,
           .planes = static_cast<int>(below(17)),
           .row_groups = below(6),
           .chunk = below(3) * 16},
          round);
  }
}

TYPED_TEST(WavefrontCpu, ExtentsAroundLanesPlanesAndChunks) {
  for (const core::Isa isa : isas())
    for (const std::int64_t nx : {1, 3, 4, 5, 17})
      for (const std::int64_t ny : {1, 7, 8, 15, 16, 17})
        for (const std::int64_t nz : {1, 2, 15, 16, 17, 31, 32, 33, 129})
          expect_same<TypeParam>({nx, ny, nz}, {}, {.down_z = nz % 2 == 0},
                                 {.threads = 2, .isa = isa, .planes = nx > 5 ? 16 : 0, .chunk = 16},
                                 static_cast<std::uint64_t>(nx + ny + nz));
}

// Two to nine row groups along y, the last one with one or all rows, in columns of each number of them.
TYPED_TEST(WavefrontCpu, ColumnsOfSeveralRowGroups) {
  for (const core::Isa isa : isas())
    for (const std::int64_t ny : {17, 32, 65, 72})
      for (const std::int64_t nz : {5, 40})
        for (const std::int64_t row_groups : {1, 2, 3, 4, 8, 100})
          for (const int threads : {1, 5})
            expect_same<TypeParam>({11, ny, nz}, {}, {.down_y = nz == 5},
                                   {.threads = threads, .isa = isa, .planes = 4, .row_groups = row_groups, .chunk = 16},
                                   static_cast<std::uint64_t>(ny + nz + row_groups));
}

TEST(WavefrontCpuChecksums, PublishedOnes) {
  auto grid = make_grid<double>({.extents = {160, 160, 160}, .inflow = Inflow::random, .bits = 50});
  sweep(grid, {});
  EXPECT_EQ(checksum(grid.cells), 0x154b14adf35f6255u);
  auto wide = make_grid<float>({.extents = {320, 320, 320}, .bits = 22});
  sweep(wide, {});
  EXPECT_EQ(checksum(wide.cells), 0xf7784524577bfd4du);
  auto deep = make_grid<double>({.extents = {320, 320, 320}});
  sweep(deep, {.loops = 1});
  EXPECT_EQ(checksum(deep.cells), 0x5d49257621c73130u);
}

TEST(WavefrontCpuRefuses, WhatIsNotThere) {
  Grid<float> grid = make_grid<float>({.extents = {2, 2, 2}, .bits = 24});
  EXPECT_THROW(sweep(grid, {.c = -1}), std::invalid_argument);
  EXPECT_THROW(sweep(grid, {}, {}, {.threads = -1}), std::invalid_argument);
  EXPECT_THROW(sweep(grid, {}, {}, {.planes = 17}), std::invalid_argument);
  EXPECT_THROW(sweep(grid, {}, {}, {.row_groups = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront

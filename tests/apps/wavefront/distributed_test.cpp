// The distributed sweep against the definition, bit by bit: shapes, directions, divisions, chunks, precisions, loops,
// roundings and instruction sets.
#include "speedwell/apps/wavefront/distributed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "tests/apps/wavefront/random_problems.hpp"
#include "tests/support/precisions.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::wavefront {
namespace {

using test::ranks;

/// Every rank creates the whole grid, so that all of them can verify; only that of rank 0 is distributed.
template <class T>
void expect_same(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction,
                 const DistributedOptions& options, std::uint64_t seed, int sweeps = 1) {
  const GridOptions data = random_grid<T>(extents, seed);
  const Grid<T> given = make_grid<T>(data, recurrence.c);
  DistributedSweep<T> distributed(ranks(), extents, recurrence, direction, options);
  distributed.scatter(ranks().rank() == 0 ? &given : nullptr);
  for (int n = 0; n < sweeps; ++n) distributed.sweep();
  Grid<T> got(extents);
  distributed.gather(ranks().rank() == 0 ? &got : nullptr);
  ranks().broadcast(got.cells.span());
  Grid<T> expected = make_grid<T>(data, recurrence.c);
  for (int n = 0; n < sweeps; ++n) reference::sweep(expected, recurrence, direction);
  EXPECT_EQ(std::memcmp(expected.cells.data(), got.cells.data(), got.cells.bytes()), 0)
      << extents.nx << " x " << extents.ny << " x " << extents.nz << " " << to_string(direction) << " loops "
      << recurrence.loops << " chunk " << distributed.pipeline().z_chunk << " row chunk "
      << distributed.pipeline().row_chunk << " on " << distributed.division().grid()[0] << " x "
      << distributed.division().grid()[1];
}

std::vector<int> divisors(int n) {
  std::vector<int> all;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

SPEEDWELL_EACH_PRECISION(WavefrontRanks);

TYPED_TEST(WavefrontRanks, RandomProblems) {
  RandomProblems random(11);
  const auto below = [&](std::int64_t n) { return random.below(n); };
  const auto directions = all_directions();
  const std::vector<int> rows = divisors(ranks().size());
  for (std::uint64_t round = 0; round < 100; ++round) {
    const auto recurrence = random.recurrence<TypeParam>();
    const int px = random.one_of(rows);
    const int py = ranks().size() / px;
    const Extents extents{px + below(round % 2 ? 48 : 9), py + below(round % 3 ? 40 : 5),
                          1 + below(round % 5 ? 97 : 3)};
    const core::Isa isa = random.one_of(std::array{core::Isa::baseline, core::best_isa()});
    DistributedOptions options{.ranks_x = px, .z_chunk = below(3) ? below(40) : 0, .isa = isa};
    if (py == 1 && below(2)) options = {.row_chunk = 1 + below(below(2) ? 40 : 400), .isa = isa};
    expect_same<TypeParam>(extents, recurrence, random.one_of(directions), options, round);
  }
}

// The other tests pass faces through shared memory where the system lets the ranks share it.
TYPED_TEST(WavefrontRanks, PassesFacesInMessagesToo) {
  const test::InMessages in_messages;
  if (ranks().size() > 1) {
    EXPECT_FALSE(DistributedSweep<TypeParam>(ranks(), {16, 16, 16}, {}).shares_memory());
  }
  for (const Direction& direction : all_directions())
    for (const int px : divisors(ranks().size()))
      expect_same<TypeParam>({19, 23, 37}, {}, direction, {.ranks_x = px, .z_chunk = 10}, 1, 2);
  for (const std::int64_t row_chunk : {1, 16, 33, 1000})
    expect_same<TypeParam>({24, 33, 100}, {.loops = 1}, {}, {.row_chunk = row_chunk}, 2, 2);
}

TYPED_TEST(WavefrontRanks, EveryDirectionAndDivision) {
  for (const Direction& direction : all_directions())
    for (const int px : divisors(ranks().size()))
      expect_same<TypeParam>({19, 23, 37}, {}, direction, {.ranks_x = px, .z_chunk = 10}, 1);
}

TYPED_TEST(WavefrontRanks, RowChunksAroundVectorsAndTheGrid) {
  for (const Direction& direction : all_directions())
    for (const std::int64_t row_chunk : {16, 50})
      expect_same<TypeParam>({19, 23, 37}, {}, direction, {.row_chunk = row_chunk}, 1);
  for (const std::int64_t ny : {1, 15, 16, 17, 33})
    for (const std::int64_t nz : {1, 17, 31, 32, 33, 100})
      for (const std::int64_t row_chunk : {1, 16, 17, 32, 65, 1000})
        expect_same<TypeParam>({9, ny, nz}, {.loops = 1}, {.down_y = ny % 2 == 0, .down_z = nz % 2 == 0},
                               {.row_chunk = row_chunk}, static_cast<std::uint64_t>(ny), 2);
}

TYPED_TEST(WavefrontRanks, RowChunksOfSeveralPlaneGroupsAndOfOnePlane) {
  const std::int64_t n = ranks().size();
  for (const core::Isa isa : {core::Isa::baseline, core::best_isa()}) {
    expect_same<TypeParam>({37 * n, 20, 70}, {}, {.down_x = true}, {.row_chunk = 16, .isa = isa}, 3);
    expect_same<TypeParam>({n, 20, 70}, {}, {}, {.row_chunk = 16, .isa = isa}, 3);
  }
}

TYPED_TEST(WavefrontRanks, OneCellForARank) {
  const int n = ranks().size();
  expect_same<TypeParam>({n, 1, 1}, {}, {}, {}, 2);
  expect_same<TypeParam>({1, n, 5}, {}, {.down_y = true}, {.z_chunk = 1}, 2);
  expect_same<TypeParam>({n, n, 33}, {.loops = 1}, {.down_x = true, .down_z = true}, {.z_chunk = 1}, 2);
}

TYPED_TEST(WavefrontRanks, ChunksAroundVectorsAndTheGrid) {
  for (const std::int64_t nz : {1, 15, 16, 17, 63, 64, 65})
    for (const std::int64_t chunk : {1, 7, 8, 15, 16, 17, 64, 1000})
      expect_same<TypeParam>({9, 17, nz}, {}, {.down_z = nz % 2 == 0}, {.z_chunk = chunk},
                             static_cast<std::uint64_t>(nz));
}

TYPED_TEST(WavefrontRanks, GroupsSoLongThatMessagesProgressMeanwhile) {
  expect_same<TypeParam>({40, 130, 200}, {}, {}, {.ranks_x = ranks().size(), .z_chunk = 100}, 5);
}

TYPED_TEST(WavefrontRanks, SweepsFollowEachOther) {
  expect_same<TypeParam>({12, 13, 40}, {}, {}, {.z_chunk = 16}, 4, 3);
}

TEST(WavefrontRanksRefuse, WhatCannotBeDivided) {
  const int n = ranks().size();
  EXPECT_THROW(DistributedSweep<float>(ranks(), {0, 1, 1}, {}), std::invalid_argument);
  EXPECT_THROW(DistributedSweep<float>(ranks(), {4, 4, 4}, {.c = -1}), std::invalid_argument);
  EXPECT_THROW(DistributedSweep<float>(ranks(), {4, 4, 4}, {}, {}, {.z_chunk = -1}), std::invalid_argument);
  EXPECT_THROW(DistributedSweep<float>(ranks(), {8, 8, 4}, {}, {}, {.row_chunk = -1}), std::invalid_argument);
  EXPECT_THROW(DistributedSweep<float>(ranks(), {8, 8, 4}, {}, {}, {.z_chunk = 2, .row_chunk = 2}),
               std::invalid_argument);
  EXPECT_THROW(DistributedSweep<float>(ranks(), {8, 8, 4}, {}, {}, {.ranks_x = n + 1}), std::invalid_argument);
  if (n > 1) {
    EXPECT_THROW(DistributedSweep<float>(ranks(), {1, 1, 4}, {}), std::invalid_argument);
    EXPECT_THROW(DistributedSweep<float>(ranks(), {8, 8, 4}, {}, {}, {.ranks_x = 1, .row_chunk = 2}),
                 std::invalid_argument);
    EXPECT_THROW(DistributedSweep<float>(ranks(), {1, 64, 4}, {}, {}, {.row_chunk = 2}), std::invalid_argument);
  }
}

TEST(WavefrontPipeline, HasShorterChunksTheMoreRanksThereAre) {
  EXPECT_EQ(chosen_pipeline({640, 640, 640}, 1, 8, 8, 0).z_chunk, 640) << "no rank waits";
  std::int64_t before = 640;
  for (const int side : {2, 4, 8, 16}) {
    const Pipeline chosen = chosen_pipeline({40 * side, 40 * side, 640}, side * side, 8, 8, 0, {.ranks_x = side});
    EXPECT_EQ(chosen.px, side);
    EXPECT_LE(chosen.z_chunk, before) << side;
    EXPECT_GE(chosen.z_chunk, 1);
    before = chosen.z_chunk;
  }
  EXPECT_LT(before, 640);
}

TEST(WavefrontPipeline, UsesRowChunksWhereTheyFillItSooner) {
  for (const int lanes : {8, 16}) {
    const Pipeline chosen = chosen_pipeline({640, 640, 640}, 16, lanes, 64 / lanes, 0);
    EXPECT_EQ(chosen.px, 16);
    EXPECT_GT(chosen.row_chunk, 0);
    EXPECT_LT(chosen.row_chunk, 640);
    EXPECT_EQ(chosen.row_chunk % lanes, 0);
  }
  EXPECT_EQ(chosen_pipeline({8, 640, 640}, 16, 8, 8, 0).row_chunk, 0) << "more ranks than planes";
}

TEST(WavefrontPipeline, UsesLongerRowChunksWhereAStepIsCheaper) {
  const bool shares_memory = true;
  const std::int64_t many_planes = chosen_pipeline({640, 640, 640}, 16, 8, 8, 0, {}, shares_memory).row_chunk;
  const std::int64_t few_planes = chosen_pipeline({64, 640, 640}, 16, 8, 8, 0, {}, shares_memory).row_chunk;
  EXPECT_GT(many_planes, 0);
  EXPECT_GT(few_planes, many_planes);
}

TEST(WavefrontPipeline, SendsNoMessagesOfWhichTheSenderWaitsForTheReceiverButInSharedMemoryLongerOnes) {
  const Extents whole{640, 640, 640};
  const std::int64_t in_messages = chosen_pipeline(whole, 16, 8, 8, 0).row_chunk;
  EXPECT_LT(in_messages * 8 * 8, 4000);
  EXPECT_GT(chosen_pipeline(whole, 16, 8, 8, 0, {}, true).row_chunk, in_messages);
}

TEST(WavefrontPipeline, OptionsTakePrecedence) {
  const Extents whole{64, 64, 64};
  EXPECT_EQ(chosen_pipeline(whole, 4, 8, 8, 0, {.ranks_x = 2, .z_chunk = 5}).z_chunk, 5);
  EXPECT_EQ(chosen_pipeline(whole, 4, 8, 8, 0, {.z_chunk = 100}).z_chunk, 64);
  const Pipeline row_chunks = chosen_pipeline(whole, 4, 8, 8, 0, {.row_chunk = 100});
  EXPECT_EQ(row_chunks.px, 4);
  EXPECT_EQ(row_chunks.row_chunk, 100);
  EXPECT_EQ(chosen_pipeline({1, 1, 1}, 1, 16, 4, 0).z_chunk, 1);
}

}  // namespace
}  // namespace speedwell::wavefront

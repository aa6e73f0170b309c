// Host-side plans of the GPU variants: tiles and their order, blocks and their diagonals, memory.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "speedwell/apps/wavefront/gpu/block_diagonals.hpp"
#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"

namespace speedwell::wavefront {
namespace {

TEST(WavefrontGpuPlan, ATileComesAfterThoseThatItNeeds) {
  for (const Extents extents :
       {Extents{1, 1, 1}, {16, 32, 7}, {17, 33, 5}, {640, 640, 640}, {5, 1000, 3}, {1000, 5, 3}})
    for (const int planes : {0, 1, 3, 16}) {
      const TilePlan plan = plan_tiles(extents, 4, false, {.planes = planes});
      const std::vector<TileIndex> order = tiles_in_order(plan);
      std::vector<bool> begun(static_cast<std::size_t>(plan.tiles()));
      const auto at = [&](std::int32_t a, std::int32_t b) {
        return begun.begin() + static_cast<std::ptrdiff_t>(a) * plan.in_y + b;
      };
      ASSERT_EQ(order.size(), begun.size());
      for (const TileIndex& tile : order) {
        EXPECT_FALSE(*at(tile.a, tile.b)) << "twice";
        EXPECT_TRUE(tile.a == 0 || *at(tile.a - 1, tile.b));
        EXPECT_TRUE(tile.b == 0 || *at(tile.a, tile.b - 1));
        *at(tile.a, tile.b) = true;
      }
    }
}

TEST(WavefrontGpuPlan, TilesCoverTheGrid) {
  const TilePlan plan = plan_tiles({33, 65, 129}, 8, false, {.planes = 8, .cells = 2});
  EXPECT_EQ(plan.in_x, 5);
  EXPECT_EQ(plan.in_y, 3);
  EXPECT_EQ(plan.lines, 9);     // of 16 cells
  EXPECT_EQ(plan.vectors, 65);  // of 2
  EXPECT_EQ(plan.west_vectors(), (65 + 31) * 32);
  EXPECT_EQ(plan.warps(), 4);
  EXPECT_EQ(plan.north_vectors(), (65 + 3) * 8);
  EXPECT_EQ(plan_tiles({33, 65, 129}, 8, true, {.planes = 8}).warps(), 8) << "with loops a warp for each plane";
  EXPECT_EQ(plan_tiles({3, 65, 129}, 8, false, {.planes = 8}).planes, 4) << "whole warps, no more than needed";
  EXPECT_EQ(plan_tiles({3, 65, 129}, 8, true, {.planes = 8}).planes, 3);
}

TEST(WavefrontGpuPlan, ALaneTakesMoreCellsWhereThereAreTilesForAllMultiprocessors) {
  const auto cells = [](std::int64_t n, int element, bool loops, const TileOptions& options) {
    return plan_tiles({n, n, n}, element, loops, options).cells;
  };
  EXPECT_EQ(cells(160, 4, false, {}), 2);
  EXPECT_EQ(cells(320, 4, false, {}), 2);
  EXPECT_EQ(cells(640, 4, false, {}), 4);
  EXPECT_EQ(cells(320, 4, false, {.blocks = 8}), 4) << "on fewer";
  EXPECT_EQ(cells(640, 4, true, {}), 2) << "with loops a cell is nearly all of a step";
  EXPECT_EQ(cells(640, 8, false, {}), 2);
}

TEST(WavefrontGpuPlan, ThinTilesAreForGridsWithFewOfThem) {
  const auto planes = [](const Extents& e) { return plan_tiles(e, 4, false, {}).planes; };
  EXPECT_EQ(planes({160, 160, 160}), 8);
  EXPECT_EQ(planes({200, 700, 300}), 8);
  EXPECT_EQ(planes({320, 320, 320}), 16);
  EXPECT_EQ(planes({300, 2000, 4000}), 16);
}

TEST(WavefrontGpuPlan, ALineLeavesBeforeAnotherTakesItsPlace) {
  for (const auto& [cells, element] : {std::pair{4, 4}, {2, 4}, {1, 4}, {2, 8}, {1, 8}}) {
    const TileSteps steps(cells, element);
    // A line is loaded `ahead` steps before its first vector, into the slot of an older line, which was stored
    // `store_delay` steps after its last vector.
    const int first = TileSteps::lines_in_ring * steps.vectors_per_line, last_of_old = steps.vectors_per_line - 1;
    EXPECT_GE(first - steps.ahead, last_of_old + TileSteps::store_delay);
    EXPECT_GT(steps.ahead, 0);
  }
}

TEST(WavefrontGpuPlan, RefusesWhatIsNotPossible) {
  const auto plan = [](int element, const TileOptions& options) { plan_tiles({9, 9, 9}, element, false, options); };
  EXPECT_THROW(plan(4, {.planes = 17}), std::invalid_argument);
  EXPECT_THROW(plan(4, {.planes = -1}), std::invalid_argument);
  EXPECT_THROW(plan(4, {.cells = 3}), std::invalid_argument);
  EXPECT_THROW(plan(8, {.cells = 4}), std::invalid_argument);
  EXPECT_THROW(plan(4, {.blocks = -1}), std::invalid_argument);
}

TEST(WavefrontGpuPlan, DiagonalsHoldEveryBlockOnce) {
  for (const Extents extents : {Extents{1, 1, 1}, {40, 24, 56}, {8, 100, 9}, {100, 8, 9}, {9, 8, 100}}) {
    const BlockCounts counts(extents, 8);
    std::set<std::tuple<int, int, int>> seen;
    for (std::int32_t d = 0; d < counts.diagonals(); ++d) {
      const Diagonal diagonal(counts, d);
      for (std::int64_t candidate = 0; candidate < diagonal.num_candidates(); ++candidate) {
        const Block b = diagonal.block(candidate);
        if (!diagonal.contains(b)) continue;
        EXPECT_EQ(b.i + b.j + b.k, d);
        EXPECT_TRUE(b.i >= 0 && b.i < counts.x && b.j >= 0 && b.j < counts.y);
        EXPECT_TRUE(seen.insert({b.i, b.j, b.k}).second);
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), counts.blocks());
  }
}

TEST(WavefrontGpuPlan, MemoryIsCountedForEveryStep) {
  const Extents extents{64, 64, 64};
  const double grids = 2 * 4.0 * 64 * 64 * 64;
  for (const Step& step : steps) EXPECT_GT(device_bytes(extents, 4, step.name), grids) << step.name;
  EXPECT_GT(device_bytes(extents, 4, "cuda-shared"), 1.5 * grids) << "the rearranged grid";
  EXPECT_GT(device_bytes(extents, 8, "cuda"), 1.9 * device_bytes(extents, 4, "cuda") - (1 << 20));
}

}  // namespace
}  // namespace speedwell::wavefront

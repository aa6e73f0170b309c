// The division of the tiles along x among GPUs, and the order in which each takes its tiles.
#include "speedwell/apps/wavefront/gpu/tile_groups.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace speedwell::wavefront {
namespace {

TEST(WavefrontTileGroups, EveryTileIsOneOfAGpuWhichNumbersItsOwnWithoutGaps) {
  for (const int gpus : {1, 2, 3, 4, 8})
    for (const std::int32_t length : {1, 2, 5})
      for (const std::int32_t in_x : {1, 2, 7, 12, 40}) {
        const TileGroups groups{gpus, length, in_x};
        std::vector<std::int32_t> next(static_cast<std::size_t>(gpus));
        for (std::int32_t a = 0; a < in_x; ++a)
          EXPECT_EQ(groups.local(a), next[static_cast<std::size_t>(groups.gpu_of(a))]++);
        for (int gpu = 0; gpu < gpus; ++gpu) EXPECT_EQ(groups.tiles_of(gpu), next[static_cast<std::size_t>(gpu)]);
      }
}

// What a tile at the end of a group counts upon when it sends its face.
TEST(WavefrontTileGroups, TheTileAfterAGroupIsTheFirstOfOneOfTheNextGpu) {
  for (const int gpus : {2, 3, 4})
    for (const std::int32_t length : {1, 2, 5}) {
      const TileGroups groups{gpus, length, 43};
      for (std::int32_t a = 0; a + 1 < groups.in_x; ++a) {
        const int gpu = groups.gpu_of(a);
        const bool ends_group = (groups.local(a) + 1) % length == 0;
        EXPECT_EQ(groups.gpu_of(a + 1), ends_group ? (gpu + 1) % gpus : gpu);
        const std::int32_t step = !ends_group || gpu + 1 == gpus ? 1 : 1 - length;
        EXPECT_EQ(groups.local(a + 1), groups.local(a) + step);
      }
    }
}

TEST(WavefrontTileGroups, ThePlanesOfAllGpusAreTheGrid) {
  for (const int gpus : {1, 2, 3, 8})
    for (const std::int64_t nx : {1, 16, 17, 100, 640}) {
      const TileGroups groups{gpus, 2, static_cast<std::int32_t>((nx + 15) / 16)};
      std::set<std::pair<std::int64_t, std::int64_t>> ranges;
      for (int gpu = 0; gpu < gpus; ++gpu) {
        std::int64_t planes = 0;
        for (const comm::Range& range : planes_of(groups, gpu, 16, nx)) {
          ranges.insert({range.begin, range.end});
          planes += range.size();
        }
        EXPECT_EQ(groups.tiles_of(gpu), (planes + 15) / 16);
      }
      std::int64_t end = 0;
      for (const auto& [from, to] : ranges) {
        EXPECT_EQ(from, end);
        EXPECT_GT(to, from);
        end = to;
      }
      EXPECT_EQ(end, nx);
    }
}

// Each GPU sweeps one tile at a time, the next of its order, as soon as its predecessors are finished.
TEST(WavefrontTileGroups, OneBlockOnEachGpuFinishesAllTiles) {
  for (const Extents extents : {Extents{1, 1, 1}, {100, 200, 7}, {640, 640, 640}, {33, 1000, 3}, {1000, 33, 3}})
    for (const int gpus : {1, 2, 3, 8})
      for (const std::int32_t length : {0, 1, 3}) {
        const TilePlan plan = plan_tiles(extents, 8, false, {}, gpus);
        const TileGroups groups = divide_tiles(plan, gpus, 132, length);
        std::vector<std::vector<TileIndex>> orders;
        for (int gpu = 0; gpu < gpus; ++gpu) orders.push_back(tiles_in_order(plan, groups, gpu));
        std::set<std::pair<std::int32_t, std::int32_t>> finished;  // number along x of all tiles, and along y
        std::vector<std::size_t> next(orders.size());
        const auto global = [&](int gpu, std::int32_t a) {
          return (a / groups.length * gpus + gpu) * groups.length + a % groups.length;
        };
        for (bool goes_on = true; goes_on;) {
          goes_on = false;
          for (int gpu = 0; gpu < gpus; ++gpu) {
            auto& at = next[static_cast<std::size_t>(gpu)];
            const auto& order = orders[static_cast<std::size_t>(gpu)];
            if (at == order.size()) continue;
            const std::int32_t a = global(gpu, order[at].a), b = order[at].b;
            ASSERT_EQ(groups.gpu_of(a), gpu);
            if ((a > 0 && !finished.contains({a - 1, b})) || (b > 0 && !finished.contains({a, b - 1}))) continue;
            EXPECT_TRUE(finished.insert({a, b}).second);
            ++at;
            goes_on = true;
          }
        }
        EXPECT_EQ(static_cast<std::int64_t>(finished.size()), plan.tiles()) << gpus << " GPUs, groups of " << length;
      }
}

TEST(WavefrontTileGroups, GroupsAreShorterTheMoreGpusThereAre) {
  std::int32_t before = 40;
  for (const int gpus : {2, 4, 8}) {
    const TilePlan plan = plan_tiles({640, 640, 640}, 8, false, {}, gpus);
    const TileGroups groups = divide_tiles(plan, gpus, 132);
    EXPECT_GT(groups.length, 0);
    EXPECT_LT(groups.length, before) << gpus;
    before = groups.length;
  }
  EXPECT_EQ(divide_tiles({.in_x = 40}, 1, 132).length, 40) << "no other GPU";
  EXPECT_EQ(divide_tiles({.in_x = 40}, 2, 132, 7).length, 7) << "as it is given";
}

TEST(WavefrontTileGroups, RefusesWhatIsNotPossible) {
  EXPECT_THROW(divide_tiles({}, 0, 132), std::invalid_argument);
  EXPECT_THROW(divide_tiles({}, 2, 0), std::invalid_argument);
  EXPECT_THROW(divide_tiles({}, 2, 132, -1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront

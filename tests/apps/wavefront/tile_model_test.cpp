// The tile model against a simulation that follows every step of every tile, and against lower bounds of all schedules.
#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/gpu/tile_fit.hpp"

namespace speedwell::wavefront::model {
namespace {

struct Random {
  std::mt19937_64 engine;
  int below(int n) { return static_cast<int>(engine() % static_cast<std::uint64_t>(n)); }
};

TilePlan plan_of(Random& random) {
  TilePlan plan{.planes = 1 + random.below(max_tile_planes), .in_x = 1 + random.below(9), .in_y = 1 + random.below(9)};
  plan.vectors = 1 + random.below(150);
  return plan;
}

TiledDevice device_of(Random& random) {
  TiledDevice device{.hop_x = static_cast<double>(random.below(9)),
                     .hop_y = static_cast<double>(random.below(9)),
                     .restart_steps = static_cast<double>(random.below(20)),
                     .blocks = 1 + random.below(40)};
  double seconds = 1;
  std::int64_t tiles = 1;
  for (int n = 1 + random.below(4); n > 0; --n) {
    device.loaded.push_back({tiles, seconds});
    tiles += 1 + random.below(20);
    seconds += 0.25 * random.below(5);
  }
  return device;
}

/// Seconds of a step with `tiles` active tiles, interpolated between the two adjacent samples.
double on_the_line(const std::vector<LoadedStep>& loaded, std::int64_t tiles) {
  if (tiles <= loaded.front().tiles) return loaded.front().seconds;
  for (std::size_t n = 1; n < loaded.size(); ++n)
    if (tiles <= loaded[n].tiles) {
      const auto width = static_cast<double>(loaded[n].tiles - loaded[n - 1].tiles);
      return (loaded[n - 1].seconds * static_cast<double>(loaded[n].tiles - tiles) +
              loaded[n].seconds * static_cast<double>(tiles - loaded[n - 1].tiles)) /
             width;
    }
  return loaded.back().seconds;
}

/// Simulates every block, tick by tick: it takes a tile, waits for the operands of each step, or performs one step. In
/// step s row l of plane p is at vector s - l - p; plane 0 needs the vector of the last plane of the preceding tile
/// along x, row 0 that of the last row of the preceding tile along y.
double simulated(const TilePlan& plan, const TiledDevice& device) {
  struct Tile {
    int a = 0, b = 0;
    std::vector<int> done;  // tick of each step
  };
  struct Block {
    int tile = -1;
    int ready = 0;
  };
  std::vector<Tile> tiles;
  for (const TileIndex& tile : tiles_in_order(plan)) tiles.push_back({tile.a, tile.b, {}});
  const auto find = [&](int a, int b) -> const Tile& {
    return *std::find_if(tiles.begin(), tiles.end(), [&](const Tile& t) { return t.a == a && t.b == b; });
  };
  const int rows = 32, planes = plan.planes, vectors = plan.vectors;
  const int middle = (rows - 1 + planes - 1) / 2;
  const auto was_done = [](const Tile& t, int step, double hop, int now) {
    return static_cast<int>(t.done.size()) > step && t.done[static_cast<std::size_t>(step)] + 1 + hop <= now;
  };
  const auto may_do = [&](const Tile& t, int step, int now) {
    for (int row = 0; row < rows && t.a > 0; ++row)
      if (const int vector = step - row; vector >= 0 && vector < vectors &&
                                         !was_done(find(t.a - 1, t.b), vector + row + planes - 1, device.hop_x, now))
        return false;
    for (int plane = 0; plane < planes && t.b > 0; ++plane)
      if (const int vector = step - plane; vector >= 0 && vector < vectors &&
                                           !was_done(find(t.a, t.b - 1), vector + plane + rows - 1, device.hop_y, now))
        return false;
    return true;
  };
  std::vector<Block> blocks(static_cast<std::size_t>(device.blocks));
  std::size_t taken = 0, finished = 0;
  double seconds = device.launch_s;
  for (int now = 0; finished < tiles.size(); ++now) {
    std::vector<Tile*> step;
    for (Block& block : blocks) {
      if (block.tile < 0 && block.ready <= now && taken < tiles.size()) block.tile = static_cast<int>(taken++);
      if (block.tile < 0) continue;
      Tile& tile = tiles[static_cast<std::size_t>(block.tile)];
      if (may_do(tile, static_cast<int>(tile.done.size()), now)) step.push_back(&tile);
    }
    int at_work = 0;
    for (Tile* tile : step) {
      const int vector = static_cast<int>(tile->done.size()) - middle;  // of the middle row and plane
      at_work += vector >= 0 && vector < vectors;
      tile->done.push_back(now);
    }
    for (Block& block : blocks) {
      if (block.tile < 0) continue;
      if (static_cast<int>(tiles[static_cast<std::size_t>(block.tile)].done.size()) < vectors + rows - 1 + planes - 1)
        continue;
      block = {-1, now + 1 + static_cast<int>(device.restart_steps)};
      ++finished;
    }
    seconds += on_the_line(device.loaded, at_work);
  }
  return seconds;
}

TEST(WavefrontTileModel, IsWhatFollowingEveryStepOfEveryTileGives) {
  Random random{std::mt19937_64(7)};
  for (int round = 0; round < 500; ++round) {
    const TilePlan plan = plan_of(random);
    const TiledDevice device = device_of(random);
    const double expected = simulated(plan, device);
    EXPECT_NEAR(tiled_seconds(plan, device), expected, 1e-9 * expected)
        << plan.in_x << " x " << plan.in_y << " tiles of " << plan.planes << " planes and " << plan.vectors
        << " chunks, " << device.blocks << " blocks, hops " << device.hop_x << ", " << device.hop_y;
  }
}

TEST(WavefrontTileModel, IsNeverFasterThanTheChainOfTilesOrTheBlocksAllow) {
  Random random{std::mt19937_64(8)};
  for (int round = 0; round < 2000; ++round) {
    const TilePlan plan = plan_of(random);
    TiledDevice device = device_of(random);
    device.loaded = {{1, 1}};
    const double seconds = tiled_seconds(plan, device) * (1 + 1e-12);
    const auto steps = static_cast<double>(steps_of_tile(plan));
    EXPECT_GE(seconds, (plan.in_x - 1) * (plan.planes + device.hop_x) + (plan.in_y - 1) * (32 + device.hop_y) + steps);
    EXPECT_GE(seconds, static_cast<double>(plan.tiles()) * steps / static_cast<double>(device.blocks));
  }
}

TEST(WavefrontTileModel, MoreWorkOrASlowerDeviceIsNeverFaster) {
  Random random{std::mt19937_64(9)};
  for (int round = 0; round < 500; ++round) {
    const TilePlan plan = plan_of(random);
    TiledDevice device = device_of(random);
    device.loaded = {{1, 1}};  // with load-dependent steps waiting may pay: other tiles are faster meanwhile
    const double seconds = tiled_seconds(plan, device) * (1 - 1e-12);
    const auto slower = [&](auto change) {
      TiledDevice other = device;
      change(other);
      EXPECT_GE(tiled_seconds(plan, other), seconds);
    };
    slower([](TiledDevice& d) { d.launch_s += 1; });
    slower([](TiledDevice& d) { d.loaded[0].seconds *= 1.5; });
    TilePlan longer = plan;
    ++longer.vectors;
    EXPECT_GE(tiled_seconds(longer, device), seconds);
    // If every tile has a block there are no anomalies of list scheduling.
    device.blocks = plan.tiles();
    const double unhindered = tiled_seconds(plan, device) * (1 - 1e-12);
    TiledDevice fewer = device;
    fewer.blocks = 1 + random.below(static_cast<int>(plan.tiles()));
    EXPECT_GE(tiled_seconds(plan, fewer), unhindered);
    for (double TiledDevice::*hop : {&TiledDevice::hop_x, &TiledDevice::hop_y}) {
      TiledDevice further = device;
      further.*hop += 1;
      EXPECT_GE(tiled_seconds(plan, further), unhindered);
    }
  }
}

TEST(WavefrontTileModel, SeveralDevicesAreNeverFasterThanTheChainOfTilesOrTheirBlocksAllow) {
  Random random{std::mt19937_64(10)};
  for (int round = 0; round < 1000; ++round) {
    const TilePlan plan = plan_of(random);
    TiledDevice device = device_of(random);
    device.loaded = {{1, 1}};
    device.link_steps = random.below(6);
    const TileGroups groups{1 + random.below(4), 1 + random.below(3), plan.in_x};
    const double seconds = tiled_seconds(plan, device, groups) * (1 + 1e-12);
    const auto steps = static_cast<double>(steps_of_tile(plan));
    const double links = groups.gpus == 1 ? 0 : (groups.groups() - 1) * device.link_steps;
    EXPECT_GE(seconds,
              (plan.in_x - 1) * (plan.planes + device.hop_x) + links + (plan.in_y - 1) * (32 + device.hop_y) + steps);
    EXPECT_GE(seconds, groups.tiles_of(0) * plan.in_y * steps / static_cast<double>(device.blocks));
  }
}

TEST(WavefrontTileModel, DevicesWithABlockForEachTileAndFastLinksAreAsOne) {
  Random random{std::mt19937_64(11)};
  for (int round = 0; round < 300; ++round) {
    const TilePlan plan = plan_of(random);
    TiledDevice device = device_of(random);
    device.loaded = {{1, 1}};
    device.blocks = plan.tiles();
    const double one = tiled_seconds(plan, device);
    EXPECT_NEAR(tiled_seconds(plan, device, {1 + random.below(4), 1 + random.below(3), plan.in_x}), one, 1e-9 * one);
  }
}

TEST(WavefrontTileModel, KnownByHand) {
  const TilePlan one{.planes = 8, .in_x = 1, .in_y = 1, .lines = 1, .vectors = 10};
  EXPECT_EQ(steps_of_tile(one), 10 + 31 + 7);
  TiledDevice device{.launch_s = 5, .hop_x = 2, .hop_y = 3, .restart_steps = 4, .blocks = 1, .loaded = {{1, 2}}};
  EXPECT_DOUBLE_EQ(tiled_seconds(one, device), 5 + 48 * 2);
  TilePlan four = one;
  four.in_x = four.in_y = 2;
  EXPECT_DOUBLE_EQ(tiled_seconds(four, device), 5 + (4 * 48 + 3 * 4) * 2) << "one block after another";
  device.blocks = 4;
  EXPECT_DOUBLE_EQ(tiled_seconds(four, device), 5 + (8 + 2 + 32 + 3 + 48) * 2) << "as close as they may follow";
  // The second begins in step 10. In the middle, 19 steps later, one has cells in steps 19 to 38, the other in 29
  // to 48.
  TilePlan two = one;
  two.in_x = 2;
  two.vectors = 20;
  device.loaded = {{1, 2}, {2, 3}};
  EXPECT_DOUBLE_EQ(tiled_seconds(two, device), 5 + 29 * 2 + 10 * 3 + 29 * 2);
  // On another device it begins in step 17, and its steps do not slow down those of the first.
  device.link_steps = 7;
  EXPECT_DOUBLE_EQ(tiled_seconds(two, device, {.gpus = 2, .length = 1, .in_x = 2}), 5 + (58 + 17) * 2);
}

TEST(WavefrontTileModel, StepsLieOnTheLineBetweenThoseThatWereMeasured) {
  const TiledDevice device{.loaded = {{1, 2}, {5, 4}, {10, 4}}};
  for (const auto& [tiles, seconds] :
       {std::pair{0.0, 2.0}, {1.0, 2.0}, {2.0, 2.5}, {5.0, 4.0}, {7.0, 4.0}, {99.0, 4.0}})
    EXPECT_DOUBLE_EQ(step_seconds(device, tiles), seconds) << tiles;
}

TEST(WavefrontTileModel, RefusesADeviceWithoutBlocksOrSteps) {
  const TilePlan plan{.vectors = 1};
  EXPECT_THROW(tiled_seconds(plan, {.blocks = 0, .loaded = {{1, 1}}}), std::invalid_argument);
  EXPECT_THROW(tiled_seconds(plan, {.blocks = 1}), std::invalid_argument);
}

// With times that obey the model exactly the fit must recover the parameters.
TEST(WavefrontTileFit, FindsTheDeviceThatTookTheTimes) {
  for (const int planes : {1, 8, 16})
    for (const int blocks : {132, 396, 80, 1}) {
      TiledDevice made{.launch_s = 12e-6, .hop_x = 3.5, .hop_y = 2.25, .restart_steps = 9, .blocks = blocks};
      made.loaded = {{1, 0.3e-6}, {4, 0.5e-6}, {16, 0.6e-6}, {made.blocks + 16, 0.9e-6}};
      const TimeTiles seconds = [&](const TileSample& s) {
        TilePlan plan{.planes = planes};
        plan.in_x = static_cast<std::int32_t>(s.in_x);
        plan.in_y = static_cast<std::int32_t>(s.in_y);
        plan.vectors = static_cast<std::int32_t>(s.vectors);
        TiledDevice device = made;
        if (s.blocks > 0) device.blocks = s.blocks;
        return tiled_seconds(plan, device);
      };
      const TiledDevice found = fit_device(planes, made.blocks, seconds);
      EXPECT_EQ(found.blocks, made.blocks);
      EXPECT_NEAR(found.launch_s, made.launch_s, 1e-12);
      EXPECT_NEAR(found.restart_steps, made.restart_steps, 1e-9);
      if (made.blocks >= 27) {  // with fewer blocks tiles also wait for blocks
        EXPECT_NEAR(found.hop_x, made.hop_x, 1e-9);
        EXPECT_NEAR(found.hop_y, made.hop_y, 1e-9);
      }
      for (const LoadedStep& step : found.loaded)
        EXPECT_NEAR(step.seconds, step_seconds(made, static_cast<double>(step.tiles)), 1e-12) << step.tiles;
      EXPECT_TRUE(std::is_sorted(found.loaded.begin(), found.loaded.end(),
                                 [](const LoadedStep& a, const LoadedStep& b) { return a.tiles < b.tiles; }));
      EXPECT_GE(found.loaded.back().tiles, made.blocks - std::sqrt(made.blocks)) << "nearly all blocks were at work";
    }
}

TEST(WavefrontTileFit, RefusesTimesThatShowNothing) {
  EXPECT_THROW(fit_device(8, 132, [](const TileSample&) { return 1e-3; }), std::invalid_argument);
  EXPECT_THROW(fit_device(0, 132, [](const TileSample& s) { return 1e-6 * static_cast<double>(s.vectors); }),
               std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront::model

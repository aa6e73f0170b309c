#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>

namespace speedwell::wavefront::model {
namespace {

/// The step in which each tile begins, at index a * plan.in_y + b for tile (a, b).
std::vector<double> tile_begins(const TilePlan& plan, const TiledDevice& device, const TileGroups& groups) {
  const auto steps = static_cast<double>(steps_of_tile(plan));
  // The steps in which thread blocks of each device become free, the earliest one on top.
  using Blocks = std::priority_queue<double, std::vector<double>, std::greater<>>;
  std::vector<Blocks> free_blocks(static_cast<std::size_t>(groups.gpus));
  for (Blocks& blocks : free_blocks)
    for (std::int64_t block = 0; block < std::min(device.blocks, plan.tiles()); ++block) blocks.push(0);
  std::vector<double> begins(static_cast<std::size_t>(plan.tiles()));
  const auto at = [&](std::int64_t a, std::int64_t b) -> double& {
    return begins[static_cast<std::size_t>(a * plan.in_y + b)];
  };
  for (const auto& [a, b] : tiles_in_order(plan)) {
    const int gpu = groups.gpu_of(a);
    Blocks& blocks = free_blocks[static_cast<std::size_t>(gpu)];
    double begin = blocks.top();
    blocks.pop();
    if (a > 0) {
      const double link = groups.gpu_of(a - 1) == gpu ? 0 : device.link_steps;
      begin = std::max(begin, at(a - 1, b) + plan.warps() + device.hop_x + link);
    }
    if (b > 0) begin = std::max(begin, at(a, b - 1) + tile_rows + device.hop_y);
    at(a, b) = begin;
    blocks.push(begin + steps + device.restart_steps);
  }
  return begins;
}

/// A tile of a device becomes active (1) or inactive (-1).
struct Change {
  double step;
  std::size_t gpu;
  int tiles;
};

}  // namespace

std::int64_t steps_of_tile(const TilePlan& plan) {
  return std::int64_t{plan.vectors} + (tile_rows - 1) + (plan.warps() - 1);
}

double step_seconds(const TiledDevice& device, double tiles) {
  const auto& loaded = device.loaded;
  if (loaded.empty()) throw std::invalid_argument("wavefront: the device of the model has no step times");
  const auto upper = std::find_if(loaded.begin(), loaded.end(),
                                  [&](const LoadedStep& s) { return static_cast<double>(s.tiles) >= tiles; });
  if (upper == loaded.begin()) return upper->seconds;
  if (upper == loaded.end()) return loaded.back().seconds;
  const auto lower = upper - 1;
  const double weight = (tiles - static_cast<double>(lower->tiles)) / static_cast<double>(upper->tiles - lower->tiles);
  return lower->seconds + weight * (upper->seconds - lower->seconds);
}

double tiled_seconds(const TilePlan& plan, const TiledDevice& device) {
  return tiled_seconds(plan, device, {.gpus = 1, .length = plan.in_x, .in_x = plan.in_x});
}

double tiled_seconds(const TilePlan& plan, const TiledDevice& device, const TileGroups& groups) {
  if (device.blocks < 1)
    throw std::invalid_argument("wavefront: the number of blocks must be positive, got " +
                                std::to_string(device.blocks));
  const std::vector<double> begins = tile_begins(plan, device, groups);
  // The times at which tiles become active and inactive divide the sweep into intervals with constant numbers of active
  // tiles. A step without active tiles takes as long as one with a single tile (step_seconds() is constant below the
  // first entry).
  const auto steps = static_cast<double>(steps_of_tile(plan)), vectors = static_cast<double>(plan.vectors);
  // Steps by which the middle rows and planes of a tile lag behind its first ones.
  const auto middle = static_cast<double>((steps_of_tile(plan) - plan.vectors) / 2);
  std::vector<Change> changes;
  changes.reserve(2 * begins.size());
  for (std::size_t tile = 0; tile < begins.size(); ++tile) {
    const auto gpu = static_cast<std::size_t>(groups.gpu_of(static_cast<std::int32_t>(tile) / plan.in_y));
    changes.push_back({begins[tile] + middle, gpu, 1});
    changes.push_back({begins[tile] + middle + vectors, gpu, -1});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.step < b.step; });
  std::vector<int> active(static_cast<std::size_t>(groups.gpus));
  double seconds = device.launch_s, now = 0;
  const auto advance = [&](double to) {
    seconds += (to - now) * step_seconds(device, *std::max_element(active.begin(), active.end()));
    now = to;
  };
  for (const Change& change : changes) {
    if (change.step > now) advance(change.step);
    active[change.gpu] += change.tiles;
  }
  advance(*std::max_element(begins.begin(), begins.end()) + steps);
  return seconds;
}

}  // namespace speedwell::wavefront::model

#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>

namespace speedwell::wavefront::model {
namespace {

/// The step in which each tile begins, at index a * plan.in_y + b for tile (a, b).
std::vector<double> tile_begins(const TilePlan& plan, const TiledDevice& device) {
  const auto steps = static_cast<double>(steps_of_tile(plan));
  // The steps in which thread blocks become free, the earliest one on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> free_blocks;
  for (std::int64_t block = 0; block < std::min(device.blocks, plan.tiles()); ++block) free_blocks.push(0);
  std::vector<double> begins(static_cast<std::size_t>(plan.tiles()));
  const auto at = [&](std::int64_t a, std::int64_t b) -> double& {
    return begins[static_cast<std::size_t>(a * plan.in_y + b)];
  };
  for (const auto& [a, b] : tiles_in_order(plan)) {
    double begin = free_blocks.top();
    free_blocks.pop();
    if (a > 0) begin = std::max(begin, at(a - 1, b) + plan.warps() + device.hop_x);
    if (b > 0) begin = std::max(begin, at(a, b - 1) + tile_rows + device.hop_y);
    at(a, b) = begin;
    free_blocks.push(begin + steps + device.restart_steps);
  }
  return begins;
}

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
  if (device.blocks < 1)
    throw std::invalid_argument("wavefront: the number of blocks must be positive, got " +
                                std::to_string(device.blocks));
  std::vector<double> begins = tile_begins(plan, device);
  std::sort(begins.begin(), begins.end());
  // All tiles take the same number of steps, so that they end in the order in which they begin. The sorted times at
  // which tiles become active and inactive divide the sweep into intervals with a constant number of active tiles. A
  // step without active tiles takes as long as one with a single tile (step_seconds() is constant below the first
  // entry).
  const auto steps = static_cast<double>(steps_of_tile(plan)), vectors = static_cast<double>(plan.vectors);
  // Steps by which the middle rows and planes of a tile lag behind its first ones.
  const auto middle = static_cast<double>((steps_of_tile(plan) - plan.vectors) / 2);
  double seconds = device.launch_s, now = 0;
  const auto advance = [&](double to, std::size_t tiles) {
    seconds += (to - now) * step_seconds(device, static_cast<double>(tiles));
    now = to;
  };
  for (std::size_t begun = 0, ended = 0; ended < begins.size();) {
    const double end = begins[ended] + middle + vectors;
    const double begin = begun < begins.size() ? begins[begun] + middle : end;
    advance(std::min(begin, end), begun - ended);
    ++(begin < end ? begun : ended);
  }
  advance(begins.back() + steps, 0);
  return seconds;
}

}  // namespace speedwell::wavefront::model

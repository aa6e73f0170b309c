#include "speedwell/apps/wavefront/gpu/tile_model.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>

namespace speedwell::wavefront::model {
namespace {

/// The step in which each tile begins, in no particular order.
std::vector<double> begins_of(const TilePlan& plan, const TiledDevice& device) {
  const auto steps = static_cast<double>(steps_of_tile(plan));
  std::priority_queue<double, std::vector<double>, std::greater<>> ready;
  for (std::int64_t b = 0; b < std::min(device.blocks, plan.tiles()); ++b) ready.push(0);
  std::vector<double> begins(static_cast<std::size_t>(plan.tiles()));
  const auto at = [&](std::int64_t a, std::int64_t b) -> double& {
    return begins[static_cast<std::size_t>(a * plan.in_y + b)];
  };
  for (const auto& [a, b] : tiles_in_order(plan)) {
    double begin = ready.top();
    ready.pop();
    if (a > 0) begin = std::max(begin, at(a - 1, b) + plan.warps() + device.hop_x);
    if (b > 0) begin = std::max(begin, at(a, b - 1) + tile_rows + device.hop_y);
    at(a, b) = begin;
    ready.push(begin + steps + device.restart_steps);
  }
  return begins;
}

}  // namespace

std::int64_t steps_of_tile(const TilePlan& plan) {
  return std::int64_t{plan.vectors} + (tile_rows - 1) + (plan.warps() - 1);
}

double step_seconds(const TiledDevice& device, double tiles) {
  const auto& all = device.loaded;
  if (all.empty()) throw std::invalid_argument("the seconds of a step are missing");
  const auto more =
      std::find_if(all.begin(), all.end(), [&](const LoadedStep& s) { return static_cast<double>(s.tiles) >= tiles; });
  if (more == all.begin()) return more->seconds;
  if (more == all.end()) return all.back().seconds;
  const auto less = more - 1;
  const double share = (tiles - static_cast<double>(less->tiles)) / static_cast<double>(more->tiles - less->tiles);
  return less->seconds + share * (more->seconds - less->seconds);
}

double tiled_seconds(const TilePlan& plan, const TiledDevice& device) {
  if (device.blocks < 1) throw std::invalid_argument("the number of blocks must be positive");
  std::vector<double> begins = begins_of(plan, device);
  std::sort(begins.begin(), begins.end());
  // All tiles take the same number of steps, so that they end in the order in which they begin. While no tile is
  // active, a step takes as long as with one.
  const auto steps = static_cast<double>(steps_of_tile(plan)), vectors = static_cast<double>(plan.vectors);
  const auto middle = static_cast<double>((steps_of_tile(plan) - plan.vectors) / 2);
  double seconds = device.launch_s, now = 0;
  const auto pass = [&](double to, std::size_t tiles) {
    seconds += (to - now) * step_seconds(device, static_cast<double>(tiles));
    now = to;
  };
  for (std::size_t begun = 0, ended = 0; ended < begins.size();) {
    const double end = begins[ended] + middle + vectors;
    const double begin = begun < begins.size() ? begins[begun] + middle : end;
    pass(std::min(begin, end), begun - ended);
    ++(begin < end ? begun : ended);
  }
  pass(begins.back() + steps, 0);
  return seconds;
}

}  // namespace speedwell::wavefront::model

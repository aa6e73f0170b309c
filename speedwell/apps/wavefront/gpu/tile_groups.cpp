#include "speedwell/apps/wavefront/gpu/tile_groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace speedwell::wavefront {
namespace {

/// Additional steps of a hop to another GPU: a value takes about 1.4 us, half of the round trip of a flag between two
/// H200, and a step 0.4 us.
constexpr double hop_between_gpus = 3.5;
constexpr std::int32_t max_length = 64;

}  // namespace

std::int32_t TileGroups::local(std::int32_t a) const { return a / length / gpus * length + a % length; }

std::int32_t TileGroups::tiles_of(int gpu) const {
  const std::int64_t round = std::int64_t{length} * gpus, rest = in_x % round - std::int64_t{gpu} * length;
  return static_cast<std::int32_t>(in_x / round * length + std::clamp<std::int64_t>(rest, 0, length));
}

std::vector<comm::Range> planes_of(const TileGroups& groups, int gpu, int planes, std::int64_t nx) {
  std::vector<comm::Range> ranges;
  const std::int64_t of_group = std::int64_t{groups.length} * planes;
  for (std::int64_t n = gpu; n < groups.groups(); n += groups.gpus)
    ranges.push_back({n * of_group, std::min((n + 1) * of_group, nx)});
  return ranges;
}

TileGroups divide_tiles(const TilePlan& plan, int gpus, int blocks, std::int32_t length) {
  if (gpus < 1 || blocks < 1)
    throw std::invalid_argument("the numbers of GPUs and blocks must be positive, got " + std::to_string(gpus) +
                                " and " + std::to_string(blocks));
  if (length < 0)
    throw std::invalid_argument("the tiles of a group must not be negative, got " + std::to_string(length));
  TileGroups best{.gpus = gpus, .length = gpus == 1 ? plan.in_x : std::max(length, 1), .in_x = plan.in_x};
  if (gpus == 1 || length > 0) return best;
  const double steps_of_tile = plan.vectors + tile_rows - 1 + plan.warps() - 1;
  const auto steps = [&](const TileGroups& groups) {
    const double begin = (gpus - 1.0) * groups.length * static_cast<double>(plan.warps() + hand_over_steps);
    const double tiles = static_cast<double>(groups.tiles_of(0)) * plan.in_y;  // no GPU has more than the first
    return begin + (groups.groups() - 1) * hop_between_gpus + tiles * steps_of_tile / blocks;
  };
  const std::int32_t longest = std::min((plan.in_x + gpus - 1) / gpus, max_length);
  for (std::int32_t l = 2; l <= longest; ++l)
    if (const TileGroups groups{gpus, l, plan.in_x}; steps(groups) < steps(best)) best = groups;
  return best;
}

std::vector<TileIndex> tiles_in_order(const TilePlan& plan, const TileGroups& groups, int gpu) {
  std::vector<TileIndex> own;
  for (const TileIndex& tile : tiles_in_order(plan))
    if (groups.gpu_of(tile.a) == gpu) own.push_back({groups.local(tile.a), tile.b});
  return own;
}

}  // namespace speedwell::wavefront

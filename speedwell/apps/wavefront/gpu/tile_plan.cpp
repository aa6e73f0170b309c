#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace speedwell::wavefront {
namespace {

std::int32_t ceil_div(std::int64_t cells, std::int64_t of) { return static_cast<std::int32_t>((cells + of - 1) / of); }

std::int64_t lag_x(const TilePlan& plan) { return plan.warps() + hand_over_steps; }
constexpr std::int64_t lag_y = tile_rows + hand_over_steps;

/// Schedule of a sweep with a block for every tile: its number of steps, and the mean number of active tiles.
struct Schedule {
  double steps, tiles;
};
Schedule schedule_of(const TilePlan& plan, int cells, int element) {
  const std::int64_t each = TileSteps(cells, element).steps(plan.warps(), plan.lines);
  const std::int64_t steps = (plan.in_x - 1) * lag_x(plan) + (plan.in_y - 1) * lag_y + each;
  return {static_cast<double>(steps), static_cast<double>(plan.tiles() * each) / static_cast<double>(steps)};
}

/// Estimated duration in units of the time of a cell. Barrier, halo and lines cost a step as much as four more cells.
double duration(const TilePlan& plan, int cells, int element, int blocks) {
  const Schedule schedule = schedule_of(plan, cells, element);
  return (4 + cells) * schedule.steps * std::max(1.0, schedule.tiles / blocks);
}

}  // namespace

TilePlan plan_tiles(const Extents& e, int element, bool loops, const TileOptions& options, int gpus) {
  const int max_cells = unit_bytes / element;
  if (options.planes < 0 || options.planes > max_tile_planes)
    throw std::invalid_argument(std::to_string(options.planes) + " planes of a tile: must be 1 to " +
                                std::to_string(max_tile_planes));
  if (options.cells != 0 && options.cells != 1 && options.cells != 2 && options.cells != max_cells)
    throw std::invalid_argument(std::to_string(options.cells) + " cells per vector: must be 1, 2 or " +
                                std::to_string(max_cells));
  if (options.blocks < 0) throw std::invalid_argument("the number of blocks must not be negative");
  const auto with_planes = [&](int planes) {
    TilePlan plan{.warp_planes = warp_planes(loops)};
    plan.planes = static_cast<int>(ceil_div(std::min<std::int64_t>(planes, e.nx), plan.warp_planes)) * plan.warp_planes;
    plan.in_x = ceil_div(e.nx, plan.planes);
    plan.in_y = ceil_div(e.ny, tile_rows);
    plan.lines = ceil_div(e.nz, line_bytes / element);
    return plan;
  };
  constexpr int multiprocessors = 132;  // typical of large GPUs
  const int blocks = gpus * (options.blocks > 0 ? options.blocks : multiprocessors);
  // More planes keep more warps busy; fewer planes let the next tile along x begin earlier, which matters for small
  // grids.
  TilePlan plan = with_planes(options.planes > 0 ? options.planes : max_tile_planes / 2);
  if (options.planes == 0 && (e.nx >= 320 || schedule_of(plan, 2, element).tiles > blocks))
    plan = with_planes(max_tile_planes);
  // Neighbours wait for all cells of a vector, but larger vectors amortise the overhead of a step: this pays where
  // there are tiles for all blocks.
  const bool amortises = !loops && duration(plan, max_cells, element, blocks) < duration(plan, 2, element, blocks);
  plan.cells = options.cells > 0 ? options.cells : amortises ? max_cells : 2;
  plan.vectors = ceil_div(e.nz, plan.cells);
  return plan;
}

std::vector<TileIndex> tiles_in_order(const TilePlan& plan) {
  const std::int64_t x = lag_x(plan), y = lag_y;
  std::vector<TileIndex> order;
  order.reserve(static_cast<std::size_t>(plan.tiles()));
  for (std::int32_t a = 0; a < plan.in_x; ++a)
    for (std::int32_t b = 0; b < plan.in_y; ++b) order.push_back({a, b});
  std::stable_sort(order.begin(), order.end(),
                   [&](const TileIndex& p, const TileIndex& q) { return p.a * x + p.b * y < q.a * x + q.b * y; });
  return order;
}

}  // namespace speedwell::wavefront

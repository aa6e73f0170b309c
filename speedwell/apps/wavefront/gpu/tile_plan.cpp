#include "speedwell/apps/wavefront/gpu/tile_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace speedwell::wavefront {
namespace {

std::int32_t parts(std::int64_t cells, std::int64_t of) { return static_cast<std::int32_t>((cells + of - 1) / of); }

/// A neighbour begins when the first chunk of the last plane or row is there, and a little later. In steps.
constexpr std::int64_t hand_over = 4;
std::int64_t later_x(const TilePlan& plan) { return plan.warps() + hand_over; }
constexpr std::int64_t later_y = tile_rows + hand_over;

/// How a sweep would go with blocks for all tiles: its steps, and the tiles that are at work in one of them.
struct Course {
  double steps, tiles;
};
Course course_of(const TilePlan& plan, int cells, int element) {
  const std::int64_t each = TileSteps(cells, element).steps(plan.warps(), plan.lines);
  const std::int64_t steps = (plan.in_x - 1) * later_x(plan) + (plan.in_y - 1) * later_y + each;
  return {static_cast<double>(steps), static_cast<double>(plan.tiles() * each) / static_cast<double>(steps)};
}

/// About, in the time of a cell. Barrier, neighbours' values and lines take a step as long as four more cells.
double duration(const TilePlan& plan, int cells, int element, int blocks) {
  const Course course = course_of(plan, cells, element);
  return (4 + cells) * course.steps * std::max(1.0, course.tiles / blocks);
}

}  // namespace

TilePlan plan_tiles(const Extents& e, int element, bool loops, const TileOptions& options) {
  const int most_cells = unit_bytes / element;
  if (options.planes < 0 || options.planes > most_tile_planes)
    throw std::invalid_argument(std::to_string(options.planes) + " planes of a tile: 1 to " +
                                std::to_string(most_tile_planes));
  if (options.cells != 0 && options.cells != 1 && options.cells != 2 && options.cells != most_cells)
    throw std::invalid_argument(std::to_string(options.cells) + " cells at a time: 1, 2 or " +
                                std::to_string(most_cells));
  if (options.blocks < 0) throw std::invalid_argument("the number of blocks is not negative");
  const auto with_planes = [&](int planes) {
    TilePlan plan{.warp_planes = warp_planes(loops)};
    plan.planes = static_cast<int>(parts(std::min<std::int64_t>(planes, e.nx), plan.warp_planes)) * plan.warp_planes;
    plan.in_x = parts(e.nx, plan.planes);
    plan.in_y = parts(e.ny, tile_rows);
    plan.lines = parts(e.nz, line_bytes / element);
    return plan;
  };
  constexpr int multiprocessors = 132;  // about as many as today's large GPUs have
  const int blocks = options.blocks > 0 ? options.blocks : multiprocessors;
  // More planes keep more warps at work; fewer let the next tile along x begin earlier, which is what counts where
  // there is little to do.
  TilePlan plan = with_planes(options.planes > 0 ? options.planes : most_tile_planes / 2);
  if (options.planes == 0 && (e.nx >= 320 || course_of(plan, 2, element).tiles > blocks))
    plan = with_planes(most_tile_planes);
  // What a lane takes at a time its neighbours wait for, but four cells share what a step costs beside them: that pays
  // where there are tiles for all blocks.
  const bool shares = !loops && duration(plan, most_cells, element, blocks) < duration(plan, 2, element, blocks);
  plan.cells = options.cells > 0 ? options.cells : shares ? most_cells : 2;
  plan.chunks = parts(e.nz, plan.cells);
  return plan;
}

std::vector<TilePlace> tiles_in_order(const TilePlan& plan) {
  const std::int64_t x = later_x(plan), y = later_y;
  std::vector<TilePlace> order;
  order.reserve(static_cast<std::size_t>(plan.tiles()));
  for (std::int32_t a = 0; a < plan.in_x; ++a)
    for (std::int32_t b = 0; b < plan.in_y; ++b) order.push_back({a, b});
  std::stable_sort(order.begin(), order.end(),
                   [&](const TilePlace& p, const TilePlace& q) { return p.a * x + p.b * y < q.a * x + q.b * y; });
  return order;
}

}  // namespace speedwell::wavefront

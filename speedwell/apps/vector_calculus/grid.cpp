#include "speedwell/apps/vector_calculus/grid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::vector_calculus {

std::string_view to_string(Boundary boundary) { return boundary == Boundary::periodic ? "periodic" : "one-sided"; }
std::string_view to_string(Layout layout) { return layout == Layout::soa ? "soa" : "aos"; }

void require_grid(const Grid& grid, int reach) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("vector_calculus: " + what); };
  const char names[] = {'x', 'y', 'z'};
  // A derivative takes three points; nested derivatives may wrap around a grid at most once.
  const std::int64_t least = reach > 0 ? std::max(3, reach) : 1;
  std::int64_t points = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string extent = std::string(1, 'n') + names[axis], spacing = std::string(1, 'd') + names[axis];
    const std::int64_t n = grid.extent(axis);
    if (n < least || n > max_along_axis)
      refuse(extent + "=" + std::to_string(n) + ": " + (reach > 0 ? "with derivatives " : "") + "an extent is from " +
             std::to_string(least) + " to 2^30");
    if (points > max_points / n) refuse("more than 2^48 points, with " + extent + "=" + std::to_string(n));
    points *= n;
    const double h = grid.spacing(axis);
    if (!(h > 0) || !std::isfinite(h))
      refuse(spacing + "=" + core::format_number(h) + ": a spacing is positive and finite");
  }
}

}  // namespace speedwell::vector_calculus

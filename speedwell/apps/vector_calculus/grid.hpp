// The grid of fields: points, spacing and boundaries.
#pragma once

#include <cstdint>
#include <string_view>

namespace speedwell::vector_calculus {

/// A periodic grid wraps around. At the first and last points of a one-sided grid derivatives use the three points
/// inside, which is of second order, too.
enum class Boundary { periodic, one_sided };

/// soa: structure of arrays, the three components of a vector field in three arrays, one after the other. aos: array of
/// structures, the three components of a point adjacent, the study's AT1.
enum class Layout { soa, aos };

/// nx x ny x nz points; point (i, j, k) is number (k ny + j) nx + i of every field. dx, dy, dz: distances between
/// neighbours.
struct Grid {
  std::int64_t nx = 1, ny = 1, nz = 1;
  double dx = 1, dy = 1, dz = 1;
  Boundary boundary = Boundary::periodic;

  std::int64_t size() const { return nx * ny * nz; }
  std::int64_t extent(int axis) const { return axis == 0 ? nx : axis == 1 ? ny : nz; }
  double spacing(int axis) const { return axis == 0 ? dx : axis == 1 ? dy : dz; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

std::string_view to_string(Boundary boundary);
std::string_view to_string(Layout layout);

/// Maximum number of points along an axis, and of a grid: the bytes of three components of 8 bytes each can be counted
/// in 64 bits.
inline constexpr std::int64_t max_along_axis = std::int64_t{1} << 30;
inline constexpr std::int64_t max_points = std::int64_t{1} << 48;

/// Throws std::invalid_argument, naming the value and what is allowed, for an extent below 1, or below 3 with
/// derivatives (`reach` > 0 is the number of nested derivatives), for more points than max_points or max_along_axis,
/// and for a spacing that is not positive or not finite.
void require_grid(const Grid& grid, int reach = 0);

}  // namespace speedwell::vector_calculus

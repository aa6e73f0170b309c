// The grid on which fields live: its points, its spacing and what lies beyond it.
#pragma once

#include <cstdint>
#include <string_view>

namespace speedwell::vector_calculus {

/// Beyond a periodic grid comes its other side. Beyond a one-sided one nothing does: at its first and last points
/// derivatives are taken from the three points inside, which is of second order, too.
enum class Boundary { periodic, one_sided };

/// soa: the three components of a vector field in three arrays, one behind the other. aos: the three components of a
/// point together, the study's AT1.
enum class Layout { soa, aos };

/// nx x ny x nz points; point (i, j, k) is number (k ny + j) nx + i of every field. dx, dy, dz: distance of neighbours.
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

/// Points along an axis of the largest grid, and in all: three components of 8 bytes still count in 64 bits.
inline constexpr std::int64_t max_along_axis = std::int64_t{1} << 30;
inline constexpr std::int64_t max_points = std::int64_t{1} << 48;

/// Throws std::invalid_argument, naming the value and what is allowed, for an extent below 1, or below 3 where
/// derivatives are taken (`reach` > 0: how many of them within each other), for more points than max_points or
/// max_along_axis, and for a spacing that is not positive or not finite.
void require_grid(const Grid& grid, int reach = 0);

}  // namespace speedwell::vector_calculus

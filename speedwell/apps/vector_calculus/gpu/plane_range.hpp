// PlaneRange: the planes of a grid, or of a rank's slab, that a kernel computes. Plain data.
#pragma once

#include <cstdint>

#include "speedwell/apps/vector_calculus/frame.hpp"

namespace speedwell::vector_calculus::device {

/// Planes [begin, end) of the fields of an expression and of its result. Planes are numbered as those of the frame,
/// whose plane 0 is plane `base` of the arrays.
template <class T>
struct PlaneRange {
  Frame<T> frame;
  bool sided;     // differences at the ends of the frame are one-sided
  bool has_halo;  // along z, so that no derivative wraps around
  std::int64_t base, begin, end;

  std::int64_t plane_points() const { return frame.nx * frame.ny; }
  std::int64_t points() const { return (end - begin) * plane_points(); }
};

template <class T>
PlaneRange<T> all_planes(const Grid& grid) {
  return {frame_of<T>(grid), grid.boundary == Boundary::one_sided, false, 0, 0, grid.nz};
}

}  // namespace speedwell::vector_calculus::device

// The data of a grid that the evaluation at a point needs: plain data, passed to kernels by value.
#pragma once

#include "speedwell/apps/vector_calculus/grid.hpp"

namespace speedwell::vector_calculus {

template <class T>
struct Frame {
  std::int64_t nx, ny, nz, points;
  T per_spacing[3];  // 1 / (2 dx), 1 / (2 dy), 1 / (2 dz)
};

template <class T>
Frame<T> frame_of(const Grid& g) {
  return {g.nx,
          g.ny,
          g.nz,
          g.size(),
          {static_cast<T>(1 / (2 * g.dx)), static_cast<T>(1 / (2 * g.dy)), static_cast<T>(1 / (2 * g.dz))}};
}

/// The frame of a whole grid in host memory, or of a rank's tile with its halo. first, last: the indices along each
/// axis of the grid's first and last points, where differences are one-sided or wrap around; the tile's own, where the
/// grid's belong to another rank.
template <class T>
struct HostFrame : Frame<T> {
  std::int64_t first[3], last[3];
};

template <class T>
HostFrame<T> host_frame_of(const Grid& g) {
  return {frame_of<T>(g), {0, 0, 0}, {g.nx - 1, g.ny - 1, g.nz - 1}};
}

/// The same points as one row, for expressions without neighbours.
template <class T>
HostFrame<T> as_one_row(HostFrame<T> f) {
  f.nx = f.points;
  f.ny = f.nz = 1;
  f.first[0] = 0;
  f.last[0] = f.points - 1;
  return f;
}

}  // namespace speedwell::vector_calculus

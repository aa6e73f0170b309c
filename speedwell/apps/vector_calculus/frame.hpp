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

/// The same points as one row, for expressions without neighbours.
template <class T>
Frame<T> as_one_row(Frame<T> f) {
  f.nx = f.points;
  f.ny = f.nz = 1;
  return f;
}

}  // namespace speedwell::vector_calculus

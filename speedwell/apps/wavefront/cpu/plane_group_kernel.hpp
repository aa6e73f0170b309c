// A plane group: all or some cells of the rows of a few planes, swept together by one instruction set
// (plane_group_kernel.cpp). The lanes of a vector hold consecutive rows: in step s lane l of plane g is at cell s - l -
// g, so that all of them form one hyperplane. A lane that has finished a row proceeds with the row that is as many rows
// further as there are lanes.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

inline constexpr int max_group_planes = 16;
inline constexpr int max_lanes = 16;

template <class T>
struct PlaneGroup {
  int planes = 0;                          // at most max_group_planes
  std::int64_t rows = 0, cells = 0;        // rows per plane, cells per row
  std::int64_t period = 0;                 // steps between consecutive rows of a lane (group_period)
  std::int64_t plane = 0, row = 0, z = 1;  // strides in memory; z is 1 or -1
  T* first = nullptr;                      // cell k of row l of plane g is first[g * plane + l * row + k * z]
  const T* west = nullptr;                 // west neighbours of plane 0, indexed likewise
  std::int64_t west_row = 0;
  const T* north = nullptr;  // north neighbours of row 0
  std::int64_t north_plane = 0;
  const T* top = nullptr;  // top neighbours of cell 0
  std::int64_t top_plane = 0, top_row = 0;
  const T* following = nullptr;  // first cell of the next plane group of the same shape, if any, for prefetching
  T state[max_group_planes][max_lanes] = {};  // most recent value of each lane
};

template <class T>
struct KernelRecurrence {
  std::int64_t loops = 0;
  T c, tc, td, nc, nd, wc, wd, rc, rd;
  bool fused = false;
  Remainder remainder = Remainder::library;
};

/// Performs steps first … last - 1; the preceding steps must have been performed. `first` is a multiple of `lanes`;
/// `last` is one, too, or the end of the plane group. All west and north neighbours of the cells of these steps must be
/// available.
template <class T>
using PlaneGroupKernel = void(PlaneGroup<T>& group, const KernelRecurrence<T>& recurrence, std::int64_t first,
                              std::int64_t last);

}  // namespace speedwell::wavefront

// A ribbon: rows of a few planes, and of each row the cells of a sweep or a chunk of them, swept by one instruction set
// (ribbon_kernel.cpp). The lanes of a vector are rows side by side: lane l of plane g is in step s at cell s - l - g,
// so that all of them are one hyperplane, and a lane that ends its cells of a row goes on with those of the row that is
// as many rows further as there are lanes.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

inline constexpr int most_ribbon_planes = 16;
inline constexpr int most_lanes = 16;

template <class T>
struct Ribbon {
  int planes = 0;                          // at most most_ribbon_planes
  std::int64_t rows = 0, cells = 0;        // of each plane, of each row
  std::int64_t period = 0;                 // steps from one row of a lane to its next (ribbon_period)
  std::int64_t plane = 0, row = 0, z = 1;  // what lies between neighbours in memory; z is 1 or -1
  T* first = nullptr;                      // cell k of row l of plane g is first[g * plane + l * row + k * z]
  const T* west = nullptr;                 // before plane 0, in the same way
  std::int64_t west_row = 0;
  const T* north = nullptr;  // before row 0
  std::int64_t north_plane = 0;
  const T* top = nullptr;  // before cell 0
  std::int64_t top_plane = 0, top_row = 0;
  const T* following = nullptr;  // the first cell of a ribbon of the same form that is swept after this one, if any
  T state[most_ribbon_planes][most_lanes] = {};  // what each lane swept last
};

template <class T>
struct RibbonRecurrence {
  std::int64_t loops = 0;
  T c, tc, td, nc, nd, wc, wd, rc, rd;
  bool fused = false;
  Remainder remainder = Remainder::library;
};

/// Takes steps first … last - 1 after those before them. `first` is a multiple of `lanes`, and `last` too or the
/// ribbon's last. What lies west and north must be there for all cells below `last`.
template <class T>
using RibbonKernel = void(Ribbon<T>& ribbon, const RibbonRecurrence<T>& recurrence, std::int64_t first,
                          std::int64_t last);

}  // namespace speedwell::wavefront

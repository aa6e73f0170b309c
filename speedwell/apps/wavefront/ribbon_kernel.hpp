// A ribbon: all rows of a few planes, and of each row a chunk of cells, swept by one instruction set
// (ribbon_kernel.cpp) without a gap between one vector of rows and the next. For chunks so short that a bundle
// (pencil_kernel.hpp) would be filling and draining most of the time.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/pencil_kernel.hpp"

namespace speedwell::wavefront {

template <class T>
struct Ribbon {
  int planes = 0;          // that are there: at most bundle_planes
  std::int64_t rows = 0;   // of each plane
  std::int64_t cells = 0;  // of each row, at least 1
  /// Whether rows go on in memory for a vector before the first of these cells, and beyond the last.
  bool before = false, beyond = false;
  Strip<T> plane[bundle_planes];
  Strip<const T> west;                  // before plane 0
  Strip<const T> north[bundle_planes];  // before row 0 of each plane
  Strip<const T> top[bundle_planes];    // before cell 0 of each row
};

/// Sweeps all of a ribbon.
template <class T>
using RibbonKernel = void(const Ribbon<T>& ribbon, const BundleRecurrence<T>& recurrence);

}  // namespace speedwell::wavefront

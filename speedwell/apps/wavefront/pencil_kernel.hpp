// A bundle: a few rows of a few planes, swept along z by one instruction set (pencil_kernel.cpp). Row l of plane g is
// at cell k = s - l - g in step s, so that all rows and planes of a bundle are one hyperplane, and the lanes of a
// vector are rows side by side.
#pragma once

#include <cstdint>

namespace speedwell::wavefront {

inline constexpr int bundle_planes = 4;
inline constexpr int most_bundle_rows = 16;

/// What the rows of one plane of values begin with: value (row l, cell k) at first[l * row + k * z], z = 1 or -1.
template <class T>
struct Strip {
  T* first = nullptr;
  std::int64_t row = 0, z = 1;
};

template <class T>
struct Bundle {
  int planes = 0, rows = 0;  // that are there: at most bundle_planes, and what the kernel has lanes
  std::int64_t cells = 0;    // along z
  Strip<T> plane[bundle_planes];
  Strip<const T> west;                       // before plane 0
  Strip<const T> north[bundle_planes];       // the row before row 0 of each plane
  T state[bundle_planes][most_bundle_rows];  // at first what lies before cell 0; then each row's last value
};

template <class T>
struct BundleRecurrence {
  std::int64_t loops = 0;
  T c, tc, td, nc, nd, wc, wd, rc, rd;
  bool fused = false;
  bool fast = true;  // all sums are within [0, 4c] (stays_in_range)
};

/// Steps that a bundle takes: the last row of the last plane ends last.
template <class T>
std::int64_t bundle_steps(const Bundle<T>& bundle) {
  return bundle.cells + bundle.rows + bundle.planes - 2;
}

/// Takes steps first … last - 1, where `first` is a multiple of `lanes`, and `last` too or the bundle's last. Values of
/// west must be there for all cells below last, and of north likewise.
template <class T>
using BundleKernel = void(Bundle<T>& bundle, const BundleRecurrence<T>& recurrence, std::int64_t first,
                          std::int64_t last);

}  // namespace speedwell::wavefront

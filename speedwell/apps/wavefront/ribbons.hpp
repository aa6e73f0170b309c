// The ribbons of a rank's block (ribbon_kernel.hpp), west to east: a few planes each, with all of their rows and cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

/// Of a ribbon: as many as leave its period at two blocks (ribbon_period), and four at least, for the kernel's sake.
inline int ribbon_planes(int lanes) { return std::max(lanes, 4); }

/// Planes in a row that the kernel sweeps side by side; fewer take as long.
inline constexpr std::int64_t planes_together = 4;

/// From one row of a lane to its next, the same for all ribbons of a block, whose last may have fewer planes.
inline std::int64_t common_period(std::int64_t cells, int lanes) {
  return ribbon_period(cells, ribbon_planes(lanes), lanes);
}

template <class T>
class Ribbons {
 public:
  Ribbons(Grid<T>& block, const Recurrence<T>& recurrence, const Direction& direction, core::Isa isa)
      : kernels_(kernels_of<T>(isa)), recurrence_(ribbon_recurrence(recurrence)) {
    const auto& [nx, ny, nz] = block.extents;
    const Axis x(nx, ny * nz, direction.down_x), y(ny, nz, direction.down_y), z(nz, 1, direction.down_z);
    const Axis top_x(nx, ny, direction.down_x), top_y(ny, 1, direction.down_y), north_x(nx, nz, direction.down_x);
    const Planes<T>& inflow = block.planes;
    const int planes = ribbon_planes(lanes());
    T* const corner = block.cells.data() + y.begin + z.begin;
    for (std::int64_t i = 0; i < nx; i += planes)
      ribbons_.push_back({.planes = static_cast<int>(std::min<std::int64_t>(planes, nx - i)),
                          .rows = ny,
                          .cells = nz,
                          .period = common_period(nz, lanes()),
                          .plane = x.step,
                          .row = y.step,
                          .z = z.step,
                          .first = corner + x.at(i),
                          .west = i > 0 ? corner + x.at(i - 1) : inflow.west.data() + y.begin + z.begin,
                          .west_row = y.step,
                          .north = inflow.north.data() + north_x.at(i) + z.begin,
                          .north_plane = north_x.step,
                          .top = inflow.top.data() + top_x.at(i) + top_y.begin,
                          .top_plane = top_x.step,
                          .top_row = top_y.step});
  }

  std::size_t size() const { return ribbons_.size(); }
  Ribbon<T>& operator[](std::size_t n) { return ribbons_[n]; }
  int lanes() const { return kernels_.lanes; }
  /// Of the kernel, with its conditions.
  void sweep(std::size_t n, std::int64_t first, std::int64_t last) {
    kernels_.ribbon(ribbons_[n], recurrence_, first, last);
  }

 private:
  Kernels<T> kernels_;
  RibbonRecurrence<T> recurrence_;
  std::vector<Ribbon<T>> ribbons_;
};

}  // namespace speedwell::wavefront

// A rank's columns, swept on one core chunk by chunk along z: ribbons of a few planes (ribbon_kernel.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/comm/cartesian2d.hpp"

namespace speedwell::wavefront {

/// Of a ribbon: as many as leave its period at two blocks (ribbon_period), and four at least, for the kernel's sake.
inline int ribbon_planes(int lanes) { return std::max(lanes, 4); }

/// The columns of a rank, or of some of its rows, chunk after chunk along z.
template <class T>
class Chunks {
 public:
  /// `rows`: in the order of the sweep; the one before them has been swept.
  Chunks(Grid<T>& block, const Recurrence<T>& recurrence, const Direction& direction, core::Isa isa,
         const comm::Range& rows)
      : kernels_(kernels_of<T>(isa)), recurrence_(ribbon_recurrence(recurrence)) {
    const auto& [nx, ny, nz] = block.extents;
    const Axis x(nx, ny * nz, direction.down_x), y(ny, nz, direction.down_y), z(nz, 1, direction.down_z);
    const Axis top_x(nx, ny, direction.down_x), top_y(ny, 1, direction.down_y), north_x(nx, nz, direction.down_x);
    const Planes<T>& inflow = block.planes;
    const int planes = ribbon_planes(kernels_.lanes);
    for (std::int64_t i = 0; i < nx; i += planes) {
      T* const corner = block.cells.data() + y.at(rows.begin) + z.begin;
      ribbons_.push_back(
          {.planes = static_cast<int>(std::min<std::int64_t>(planes, nx - i)),
           .rows = rows.size(),
           .plane = x.step,
           .row = y.step,
           .z = z.step,
           .first = corner + x.at(i),
           .west = i > 0 ? corner + x.at(i - 1) : inflow.west.data() + y.at(rows.begin) + z.begin,
           .west_row = y.step,
           .north = rows.begin > 0 ? corner + x.at(i) - y.step : inflow.north.data() + north_x.at(i) + z.begin,
           .north_plane = rows.begin > 0 ? x.step : north_x.step,
           .top = inflow.top.data() + top_x.at(i) + top_y.at(rows.begin),
           .top_plane = top_x.step,
           .top_row = top_y.step});
    }
  }

  /// The next `cells` along z, with a call of between() now and then. The last of each row are the next chunk's top.
  template <class Between>
  void sweep(std::int64_t cells, const Between& between) {
    std::int64_t since = 0;
    for (std::size_t n = 0; n < ribbons_.size(); ++n) {
      Ribbon<T>& ribbon = ribbons_[n];
      ribbon.cells = cells;
      ribbon.period = ribbon_period(cells, ribbon.planes, kernels_.lanes);
      ribbon.following = ribbons_[(n + 1) % ribbons_.size()].first;  // after the last ribbon the first, a chunk further
      kernels_.ribbon(ribbon, recurrence_, 0, ribbon_steps(ribbon, kernels_.lanes));
      ribbon.first += cells * ribbon.z;
      ribbon.west += cells * ribbon.z;
      ribbon.north += cells * ribbon.z;
      ribbon.top = ribbon.first - ribbon.z;
      ribbon.top_plane = ribbon.plane;
      ribbon.top_row = ribbon.row;
      since += ribbon.planes * ribbon.rows * cells;
      if (since < cells_between) continue;
      between();
      since = 0;
    }
  }

 private:
  // Swept between two looks at the messages, which may give the core away.
  static constexpr std::int64_t cells_between = std::int64_t{1} << 15;

  Kernels<T> kernels_;
  RibbonRecurrence<T> recurrence_;
  std::vector<Ribbon<T>> ribbons_;
};

}  // namespace speedwell::wavefront

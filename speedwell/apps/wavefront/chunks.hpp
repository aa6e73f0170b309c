// A rank's columns, swept on one core chunk by chunk along z: ribbons of a few planes (ribbon_kernel.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

/// The columns of a rank, chunk after chunk along z.
template <class T>
class Chunks {
 public:
  Chunks(Grid<T>& block, const Recurrence<T>& recurrence, const Direction& direction, core::Isa isa)
      : kernels_(kernels_of<T>(isa)), recurrence_(bundle_recurrence(recurrence)), cells_(block.extents.nz) {
    const auto& [nx, ny, nz] = block.extents;
    const Axis x(nx, ny * nz, direction.down_x), y(ny, nz, direction.down_y), z(nz, 1, direction.down_z);
    const Axis top_x(nx, ny, direction.down_x), top_y(ny, 1, direction.down_y), north_x(nx, nz, direction.down_x);
    const Planes<T>& inflow = block.planes;
    for (std::int64_t i = 0; i < nx; i += bundle_planes) {
      Ribbon<T> ribbon{.planes = static_cast<int>(std::min<std::int64_t>(bundle_planes, nx - i)), .rows = ny};
      const auto plane = [&](std::int64_t n) { return block.cells.data() + x.at(n) + y.begin + z.begin; };
      for (int g = 0; g < ribbon.planes; ++g) {
        ribbon.plane[g] = {plane(i + g), y.step, z.step};
        ribbon.north[g] = {inflow.north.data() + north_x.at(i + g) + z.begin, 0, z.step};
        ribbon.top[g] = {inflow.top.data() + top_x.at(i + g) + top_y.begin, top_y.step};
      }
      ribbon.west = {i > 0 ? plane(i - 1) : inflow.west.data() + y.begin + z.begin, y.step, z.step};
      ribbons_.push_back(ribbon);
    }
  }

  /// The next `cells` along z, with a call of between() now and then. The last of each row are the next chunk's top.
  template <class Between>
  void sweep(std::int64_t cells, const Between& between) {
    std::int64_t since = 0;
    for (Ribbon<T>& ribbon : ribbons_) {
      ribbon.cells = cells;
      ribbon.before = swept_ >= kernels_.lanes;
      ribbon.beyond = swept_ + cells + kernels_.lanes <= cells_;
      kernels_.ribbon(ribbon, recurrence_);
      ribbon.west.first += cells * ribbon.west.z;
      for (int g = 0; g < ribbon.planes; ++g) {
        Strip<T>& plane = ribbon.plane[g];
        plane.first += cells * plane.z;
        ribbon.north[g].first += cells * plane.z;
        ribbon.top[g] = {plane.first - plane.z, plane.row};
      }
      since += ribbon.planes * ribbon.rows * cells;
      if (since < cells_between) continue;
      between();
      since = 0;
    }
    swept_ += cells;
  }

 private:
  // Swept between two looks at the messages, which may give the core away.
  static constexpr std::int64_t cells_between = std::int64_t{1} << 15;

  Kernels<T> kernels_;
  BundleRecurrence<T> recurrence_;
  std::int64_t cells_, swept_ = 0;  // of a row
  std::vector<Ribbon<T>> ribbons_;
};

}  // namespace speedwell::wavefront

// The plane groups of a rank's block (plane_group_kernel.hpp), from west to east, with all of their rows and cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/cpu/kernels.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

/// Planes of a group: as many as keep its period at two blocks (group_period), and at least four for efficiency of the
/// kernel.
inline int planes_per_group(int lanes) { return std::max(lanes, 4); }

/// Number of planes that the kernel interleaves; fewer planes take the same time.
inline constexpr std::int64_t interleaved_planes = 4;

/// Steps between consecutive rows of a lane, common to all groups of a block although the last may have fewer planes.
inline std::int64_t common_group_period(std::int64_t cells, int lanes) {
  return group_period(cells, planes_per_group(lanes), lanes);
}

template <class T>
class PlaneGroups {
 public:
  PlaneGroups(Grid<T>& block, const Recurrence<T>& recurrence, const Direction& direction, core::Isa isa)
      : kernels_(kernels_of<T>(isa)), recurrence_(kernel_recurrence(recurrence)) {
    const auto& [nx, ny, nz] = block.extents;
    const Axis x(nx, ny * nz, direction.down_x), y(ny, nz, direction.down_y), z(nz, 1, direction.down_z);
    const Axis top_x(nx, ny, direction.down_x), top_y(ny, 1, direction.down_y), north_x(nx, nz, direction.down_x);
    const Planes<T>& inflow = block.planes;
    const int planes = planes_per_group(lanes());
    T* const corner = block.cells.data() + y.begin + z.begin;
    for (std::int64_t i = 0; i < nx; i += planes)
      plane_groups_.push_back({.planes = static_cast<int>(std::min<std::int64_t>(planes, nx - i)),
                               .rows = ny,
                               .cells = nz,
                               .period = common_group_period(nz, lanes()),
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

  std::size_t size() const { return plane_groups_.size(); }
  PlaneGroup<T>& operator[](std::size_t n) { return plane_groups_[n]; }
  int lanes() const { return kernels_.lanes; }
  /// Performs steps first … last - 1 of group n, under the conditions of PlaneGroupKernel.
  void sweep(std::size_t n, std::int64_t first, std::int64_t last) {
    kernels_.sweep(plane_groups_[n], recurrence_, first, last);
  }

 private:
  Kernels<T> kernels_;
  KernelRecurrence<T> recurrence_;
  std::vector<PlaneGroup<T>> plane_groups_;
};

}  // namespace speedwell::wavefront

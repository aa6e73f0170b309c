// Sweep of a rank's block on one core in z chunks: all rows of the block, a number of cells along z at a time. Within a
// chunk the plane groups are swept one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "speedwell/apps/wavefront/cpu/kernels.hpp"
#include "speedwell/apps/wavefront/cpu/plane_groups.hpp"

namespace speedwell::wavefront {

template <class T>
class ZChunkSweep {
 public:
  explicit ZChunkSweep(PlaneGroups<T> plane_groups) : plane_groups_(std::move(plane_groups)) {}

  /// Sweeps the next `cells` cells along z and calls between() every `cells_between_calls` cells. The last cells of
  /// each row become the top values of the next chunk.
  template <class Between>
  void sweep(std::int64_t cells, const Between& between) {
    std::int64_t since = 0;
    for (std::size_t n = 0; n < plane_groups_.size(); ++n) {
      PlaneGroup<T>& group = plane_groups_[n];
      group.cells = cells;
      group.period = group_period(cells, group.planes, plane_groups_.lanes());
      group.following = plane_groups_[(n + 1) % plane_groups_.size()]
                            .first;  // the first group of the next chunk follows the last group
      plane_groups_.sweep(n, 0, group_steps(group, plane_groups_.lanes()));
      group.first += cells * group.z;
      group.west += cells * group.z;
      group.north += cells * group.z;
      group.top = group.first - group.z;
      group.top_plane = group.plane;
      group.top_row = group.row;
      since += group.planes * group.rows * cells;
      if (since < cells_between_calls) continue;
      between();
      since = 0;
    }
  }

 private:
  // Number of cells swept between two calls that let messages progress; such a call may yield the core.
  static constexpr std::int64_t cells_between_calls = std::int64_t{1} << 15;

  PlaneGroups<T> plane_groups_;
};

}  // namespace speedwell::wavefront

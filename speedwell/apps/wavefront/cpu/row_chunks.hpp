// Sweep of a rank's plane groups in row chunks. A row group is as many consecutive rows as a vector has lanes; a row
// chunk is a part of the cells of one row group, or several whole row groups. The plane groups are swept from the first
// row to the last without restarting and follow each other as closely as the dependences permit, so that a rank waits
// for one row chunk of the preceding rank instead of whole rows, and vectors are partly empty only at the two ends of
// the sweep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/cpu/kernels.hpp"
#include "speedwell/apps/wavefront/cpu/plane_groups.hpp"
#include "speedwell/comm/parts.hpp"

namespace speedwell::wavefront {

/// The row chunks of one plane of a block, in the order of the sweep.
class RowChunks {
 public:
  struct Chunk {
    comm::Range rows, cells;
  };

  /// Divides rows into chunks of at least `length` steps, rounded up to blocks; where rows are shorter, a chunk has all
  /// cells of several row groups.
  RowChunks(std::int64_t rows, std::int64_t cells, int lanes, std::int64_t length)
      : rows_(rows),
        cells_(cells),
        lanes_(lanes),
        period_(common_group_period(cells, lanes)),
        row_groups_(ceil_div(rows, lanes)),
        length_(ceil_div(std::min(length, row_groups_ * period_), lanes) * lanes),
        chunks_per_row_group_(ceil_div(cells, length_)),
        row_groups_per_chunk_(chunks_per_row_group_ > 1 ? 1 : ceil_div(length_, period_)) {}

  std::int64_t count() const { return ceil_div(row_groups_, row_groups_per_chunk_) * chunks_per_row_group_; }
  /// Steps of the first lane, from the first row to the last.
  std::int64_t steps() const { return row_groups_ * period_; }
  /// Steps of the longest chunk.
  std::int64_t length() const { return chunks_per_row_group_ > 1 ? length_ : row_groups_per_chunk_ * period_; }
  std::int64_t max_cells() const {
    return std::min(row_groups_per_chunk_ * lanes_, rows_) * (chunks_per_row_group_ > 1 ? length_ : cells_);
  }

  Chunk operator[](std::int64_t n) const {
    const std::int64_t row_group = n / chunks_per_row_group_ * row_groups_per_chunk_, part = n % chunks_per_row_group_;
    return {.rows = {row_group * lanes_, std::min((row_group + row_groups_per_chunk_) * lanes_, rows_)},
            .cells = {part * length_, std::min((part + 1) * length_, cells_)}};
  }
  /// The step of the first lane before which the cells of chunk n are swept; chunk numbers beyond the last extrapolate.
  std::int64_t end(std::int64_t n) const {
    const std::int64_t part = n % chunks_per_row_group_;
    return n / chunks_per_row_group_ * row_groups_per_chunk_ * period_ +
           (part + 1 == chunks_per_row_group_ ? row_groups_per_chunk_ * period_ : (part + 1) * length_);
  }
  /// Maximum number of steps from the beginning of a chunk to the end of the one with which it is complete `lag` steps
  /// later.
  std::int64_t delay(std::int64_t lag) const {
    std::int64_t max_delay = 0;
    for (std::int64_t n = 0, completing = 0; n < chunks_per_row_group_; ++n) {
      while (end(completing) < end(n) + lag) ++completing;
      max_delay = std::max(max_delay, end(completing) - (n > 0 ? end(n - 1) : 0));
    }
    return max_delay;
  }

 private:
  std::int64_t rows_, cells_, lanes_, period_, row_groups_, length_;
  std::int64_t chunks_per_row_group_, row_groups_per_chunk_;  // chunks per row group; row groups per chunk
};

/// Steps by which the first lane of the first plane is ahead of the last lane of the last plane.
inline std::int64_t group_lag(int planes, int lanes) { return planes - 1 + lanes - 1; }

/// The lag of all plane groups of a rank, each of which begins a whole number of blocks after the preceding one.
inline std::int64_t rank_lag(std::int64_t planes, int lanes) {
  const int max_planes = planes_per_group(lanes);
  const std::int64_t before = (planes - 1) / max_planes, lag = group_lag(max_planes, lanes);
  return before * ((lag + lanes - 1) / lanes * lanes) +
         group_lag(static_cast<int>(planes - before * max_planes), lanes);
}

template <class T>
class RowChunkSweep {
 public:
  explicit RowChunkSweep(PlaneGroups<T> plane_groups)
      : plane_groups_(std::move(plane_groups)), swept_(plane_groups_.size()) {}

  /// Sweeps the cells that the west inflow permits, of which all lanes below step `end` are available, and returns the
  /// step below which the last plane is complete. Steps beyond the end of the first group let the other groups finish.
  /// Calls between() after every group.
  template <class Between>
  std::int64_t sweep_behind(std::int64_t end, const Between& between) {
    const int lanes = plane_groups_.lanes();
    for (std::size_t n = 0; n < plane_groups_.size(); ++n) {
      const std::int64_t whole_blocks = end / lanes * lanes;
      const std::int64_t last = std::clamp(whole_blocks, swept_[n], group_steps(plane_groups_[n], lanes));
      if (swept_[n] < last) plane_groups_.sweep(n, swept_[n], last);
      swept_[n] = last;
      end = std::max<std::int64_t>(whole_blocks - group_lag(plane_groups_[n].planes, lanes), 0);
      between();
    }
    return end;
  }

 private:
  PlaneGroups<T> plane_groups_;
  std::vector<std::int64_t> swept_;  // completed steps of each group
};

}  // namespace speedwell::wavefront

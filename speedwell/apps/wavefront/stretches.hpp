// A rank's ribbons swept together, stretch by stretch. A stretch is a part of the cells of as many rows as a vector has
// lanes. The ribbons stay open from the first row to the last and follow each other as closely as they may, so that a
// rank waits for a stretch of the one before it, not for whole rows, and vectors are partly empty at both ends alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/ribbons.hpp"
#include "speedwell/comm/cartesian2d.hpp"

namespace speedwell::wavefront {

/// Of one plane of a block, in the order of the sweep.
class Stretches {
 public:
  struct Stretch {
    comm::Range rows, cells;
  };

  /// Of at least `length` steps, in whole blocks; where rows are shorter, all cells of several groups of rows.
  Stretches(std::int64_t rows, std::int64_t cells, int lanes, std::int64_t length)
      : rows_(rows),
        cells_(cells),
        lanes_(lanes),
        period_(common_period(cells, lanes)),
        groups_(parts(rows, lanes)),
        length_(parts(std::min(length, groups_ * period_), lanes) * lanes),
        of_group_(parts(cells, length_)),
        groups_of_one_(of_group_ > 1 ? 1 : parts(length_, period_)) {}

  std::int64_t count() const { return parts(groups_, groups_of_one_) * of_group_; }
  /// Steps of the first lane, from the first row to the last.
  std::int64_t steps() const { return groups_ * period_; }
  /// Of the longest.
  std::int64_t length() const { return of_group_ > 1 ? length_ : groups_of_one_ * period_; }
  std::int64_t most_cells() const {
    return std::min(groups_of_one_ * lanes_, rows_) * (of_group_ > 1 ? length_ : cells_);
  }

  Stretch operator[](std::int64_t n) const {
    const std::int64_t group = n / of_group_ * groups_of_one_, part = n % of_group_;
    return {.rows = {group * lanes_, std::min((group + groups_of_one_) * lanes_, rows_)},
            .cells = {part * length_, std::min((part + 1) * length_, cells_)}};
  }
  /// Below which step of the first lane its cells are; beyond the last one as if there were more.
  std::int64_t end(std::int64_t n) const {
    const std::int64_t part = n % of_group_;
    return n / of_group_ * groups_of_one_ * period_ +
           (part + 1 == of_group_ ? groups_of_one_ * period_ : (part + 1) * length_);
  }
  /// Steps from a stretch's first to the end of that with which it is complete `lag` steps further on; the most.
  std::int64_t delay(std::int64_t lag) const {
    std::int64_t most = 0;
    for (std::int64_t n = 0, completing = 0; n < of_group_; ++n) {
      while (end(completing) < end(n) + lag) ++completing;
      most = std::max(most, end(completing) - (n > 0 ? end(n - 1) : 0));
    }
    return most;
  }

 private:
  static std::int64_t parts(std::int64_t all, std::int64_t of) { return (all + of - 1) / of; }

  std::int64_t rows_, cells_, lanes_, period_, groups_, length_;
  std::int64_t of_group_, groups_of_one_;  // stretches of a group of rows; groups of a stretch
};

/// Steps of the first lane of the first plane that are ahead of the last lane of the last one.
inline std::int64_t ribbon_lag(int planes, int lanes) { return planes - 1 + lanes - 1; }

/// The same of all ribbons of a rank, each of which begins whole blocks after the one before.
inline std::int64_t rank_lag(std::int64_t planes, int lanes) {
  const int most = ribbon_planes(lanes);
  const std::int64_t before = (planes - 1) / most, lag = ribbon_lag(most, lanes);
  return before * ((lag + lanes - 1) / lanes * lanes) + ribbon_lag(static_cast<int>(planes - before * most), lanes);
}

template <class T>
class OpenRibbons {
 public:
  explicit OpenRibbons(Ribbons<T> ribbons) : ribbons_(std::move(ribbons)), swept_(ribbons_.size()) {}

  /// Sweeps what the inflow from the west allows, which all lanes have below step `end`; returns below which step they
  /// have the last plane. Steps beyond the first ribbon's are those in which the others end. Calls between() after
  /// every ribbon.
  template <class Between>
  std::int64_t sweep_behind(std::int64_t end, const Between& between) {
    const int lanes = ribbons_.lanes();
    for (std::size_t n = 0; n < ribbons_.size(); ++n) {
      const std::int64_t whole_blocks = end / lanes * lanes;
      const std::int64_t last = std::clamp(whole_blocks, swept_[n], ribbon_steps(ribbons_[n], lanes));
      if (swept_[n] < last) ribbons_.sweep(n, swept_[n], last);
      swept_[n] = last;
      end = std::max<std::int64_t>(whole_blocks - ribbon_lag(ribbons_[n].planes, lanes), 0);
      between();
    }
    return end;
  }

 private:
  Ribbons<T> ribbons_;
  std::vector<std::int64_t> swept_;  // steps of each ribbon
};

}  // namespace speedwell::wavefront

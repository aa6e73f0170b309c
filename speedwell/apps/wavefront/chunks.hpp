// A rank's columns, swept on one core chunk by chunk along z, in each of them ribbon after ribbon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/ribbons.hpp"

namespace speedwell::wavefront {

template <class T>
class Chunks {
 public:
  explicit Chunks(Ribbons<T> ribbons) : ribbons_(std::move(ribbons)) {}

  /// The next `cells` along z, with a call of between() now and then. The last of each row are the next chunk's top.
  template <class Between>
  void sweep(std::int64_t cells, const Between& between) {
    std::int64_t since = 0;
    for (std::size_t n = 0; n < ribbons_.size(); ++n) {
      Ribbon<T>& ribbon = ribbons_[n];
      ribbon.cells = cells;
      ribbon.period = ribbon_period(cells, ribbon.planes, ribbons_.lanes());
      ribbon.following = ribbons_[(n + 1) % ribbons_.size()].first;  // after the last ribbon the first, a chunk further
      ribbons_.sweep(n, 0, ribbon_steps(ribbon, ribbons_.lanes()));
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

  Ribbons<T> ribbons_;
};

}  // namespace speedwell::wavefront

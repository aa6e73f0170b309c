// Cartesian2d: nx x ny points divided among a grid of px x py ranks: rank x py + y has the block (x, y).
#pragma once

#include <cstdint>
#include <optional>

namespace speedwell::comm {

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Part `index` of `count` items in contiguous parts whose sizes differ by at most one, larger parts first.
Range part_of(std::int64_t count, int parts, int index);

class Cartesian2d {
 public:
  /// Chooses the factorisation of `ranks` with the fewest points in the largest block and its halo, or uses the given
  /// px. Throws std::invalid_argument for extents or ranks below 1, and if a rank would have no points.
  Cartesian2d(int ranks, std::int64_t nx, std::int64_t ny, int px = 0);

  int px() const { return px_; }
  int py() const { return py_; }
  int ranks() const { return px_ * py_; }
  int x_of(int rank) const { return rank / py_; }
  int y_of(int rank) const { return rank % py_; }
  /// The rank of block (x, y); nothing outside of the grid.
  std::optional<int> rank_at(int x, int y) const;
  Range x_range(int rank) const { return part_of(nx_, px_, x_of(rank)); }
  Range y_range(int rank) const { return part_of(ny_, py_, y_of(rank)); }

 private:
  std::int64_t nx_, ny_;
  int px_ = 0, py_ = 0;
};

}  // namespace speedwell::comm

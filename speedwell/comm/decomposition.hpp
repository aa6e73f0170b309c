// Decomposition: the points of a box of one to three axes divided among a grid of ranks, each of which owns a tile.
// Fields are row-major: axis 0 varies slowest, axis 2 is contiguous. A box of fewer axes has extent 1 along the last.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/comm/parts.hpp"

namespace speedwell::comm {

/// A part of a box of points: ranges of global indices along its axes.
struct Tile {
  std::array<Range, 3> ranges;

  std::int64_t extent(int axis) const { return ranges[static_cast<std::size_t>(axis)].size(); }
  std::int64_t size() const { return extent(0) * extent(1) * extent(2); }
  friend bool operator==(const Tile&, const Tile&) = default;
};

/// The box that is divided, and what a tile of it must hold.
struct GlobalBox {
  std::array<std::int64_t, 3> extents{1, 1, 1};  // points along each axis
  std::array<bool, 3> periodic{};                // whether the last point along an axis has the first for a neighbour
  std::array<int, 3> halo{};  // layers of points of the neighbours' that a tile reads along each axis, on both sides
};

/// Numbers ranks in row-major order of their positions in the grid. Tiles along an axis differ by at most one point,
/// the larger ones first.
class Decomposition {
 public:
  /// Chooses the grid whose largest tile, its halo included, has the fewest points; of equal grids, the one that
  /// divides the earlier axes, whose faces are contiguous in memory. Entries of `grid` above 0 are kept. Throws
  /// std::invalid_argument for extents or ranks below 1, for a `grid` whose product cannot be `ranks`, and if every
  /// grid leaves a rank without points or a tile thinner than its halo along an axis that is divided.
  Decomposition(int ranks, const GlobalBox& box, const std::array<int, 3>& grid = {0, 0, 0});

  const GlobalBox& box() const { return box_; }
  const std::array<int, 3>& grid() const { return grid_; }
  int ranks() const { return grid_[0] * grid_[1] * grid_[2]; }
  /// Whether more than one rank shares this axis.
  bool divides(int axis) const { return grid_[static_cast<std::size_t>(axis)] > 1; }
  std::array<int, 3> position(int rank) const;
  Tile tile(int rank) const;
  /// The rank beside this one, `direction` away along each axis, each -1, 0 or 1; nothing beyond an end that is not
  /// periodic. Along a periodic axis of one rank the rank is its own neighbour.
  std::optional<int> neighbor(int rank, const std::array<int, 3>& direction) const;
  /// "2 x 1 x 4".
  std::string text() const;

 private:
  GlobalBox box_;
  std::array<int, 3> grid_{};
};

/// The tiles of all ranks in order.
std::vector<Tile> tiles_of(const Decomposition& decomposition);
/// The whole box for the first rank and nothing for the others: between these and tiles_of() a Redistribution scatters
/// and gathers.
std::vector<Tile> whole_on_first_rank(const Decomposition& decomposition);

}  // namespace speedwell::comm

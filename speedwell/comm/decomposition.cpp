#include "speedwell/comm/decomposition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "speedwell/core/units.hpp"

namespace speedwell::comm {
namespace {

std::string joined(const auto& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : " x ") + std::to_string(value);
  return text;
}

/// The points of the largest tile of a grid and of its halo; infinity for a grid that is not possible.
double cost_of(const GlobalBox& box, const std::array<int, 3>& grid) {
  double points = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis] == 1) {
      points *= static_cast<double>(box.extents[axis]);
      continue;
    }
    const std::int64_t smallest = part_of(box.extents[axis], grid[axis], grid[axis] - 1).size();
    if (smallest < std::max(1, box.halo[axis])) return std::numeric_limits<double>::infinity();
    const bool inner = box.periodic[axis] || grid[axis] > 2;  // some tile has neighbours on both sides
    points *= static_cast<double>(part_of(box.extents[axis], grid[axis], 0).size() + (inner ? 2 : 1) * box.halo[axis]);
  }
  return points;
}

}  // namespace

Range part_of(std::int64_t count, int parts, int index) {
  const std::int64_t min_size = count / parts, larger = count % parts;
  const std::int64_t begin = index * min_size + std::min<std::int64_t>(index, larger);
  return {begin, begin + min_size + (index < larger ? 1 : 0)};
}

Decomposition::Decomposition(int ranks, const GlobalBox& box, const std::array<int, 3>& grid) : box_(box) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(core::counted(ranks, "rank") + " over " + joined(box.extents) + " points" + why);
  };
  if (ranks < 1) refuse(": at least one rank");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.extents[axis] < 1) refuse(": at least one point along each axis");
    if (box.halo[axis] < 0 || grid[axis] < 0) refuse(": a halo and a number of ranks are not negative");
  }
  double least = std::numeric_limits<double>::infinity();
  bool product_possible = false;
  for (int p0 = ranks; p0 >= 1; --p0) {
    if (ranks % p0 != 0) continue;
    for (int p1 = ranks / p0; p1 >= 1; --p1) {
      if (ranks / p0 % p1 != 0) continue;
      const std::array<int, 3> tried{p0, p1, ranks / p0 / p1};
      bool allowed = true;
      for (std::size_t axis = 0; axis < 3; ++axis) allowed = allowed && (grid[axis] == 0 || grid[axis] == tried[axis]);
      if (!allowed) continue;
      product_possible = true;
      if (const double cost = cost_of(box, tried); cost < least) {
        least = cost;
        grid_ = tried;
      }
    }
  }
  // Axes that are divided as the caller says; those that must not be divided go without saying.
  const bool chosen = *std::max_element(grid.begin(), grid.end()) > 1;
  const std::string shape = chosen ? " in a grid of " + joined(grid) + " (0: any)" : "";
  if (!product_possible) refuse(shape + ": the product of the grid is the number of ranks");
  const bool deep = *std::max_element(box.halo.begin(), box.halo.end()) > 1;
  if (least == std::numeric_limits<double>::infinity())
    refuse(shape + ": some tile would have no points" +
           (deep ? ", or fewer than its halo of " + joined(box.halo) : std::string()));
}

std::array<int, 3> Decomposition::position(int rank) const {
  return {rank / (grid_[1] * grid_[2]), rank / grid_[2] % grid_[1], rank % grid_[2]};
}

Tile Decomposition::tile(int rank) const {
  const std::array<int, 3> at = position(rank);
  Tile tile;
  for (std::size_t axis = 0; axis < 3; ++axis) tile.ranges[axis] = part_of(box_.extents[axis], grid_[axis], at[axis]);
  return tile;
}

std::optional<int> Decomposition::neighbor(int rank, const std::array<int, 3>& direction) const {
  std::array<int, 3> at = position(rank);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] += direction[axis];
    if (at[axis] >= 0 && at[axis] < grid_[axis]) continue;
    if (!box_.periodic[axis]) return std::nullopt;
    at[axis] = (at[axis] + grid_[axis]) % grid_[axis];
  }
  return (at[0] * grid_[1] + at[1]) * grid_[2] + at[2];
}

std::string Decomposition::text() const { return joined(grid_); }

std::vector<Tile> tiles_of(const Decomposition& decomposition) {
  std::vector<Tile> all;
  for (int r = 0; r < decomposition.ranks(); ++r) all.push_back(decomposition.tile(r));
  return all;
}

std::vector<Tile> whole_on_first_rank(const Decomposition& decomposition) {
  std::vector<Tile> all(static_cast<std::size_t>(decomposition.ranks()));
  for (std::size_t axis = 0; axis < 3; ++axis) all[0].ranges[axis] = {0, decomposition.box().extents[axis]};
  return all;
}

}  // namespace speedwell::comm

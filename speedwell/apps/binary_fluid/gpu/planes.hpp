// Ranges of planes along z, and the part of a box that a slab of a rank is, with the planes of its neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/comm/halo_layout.hpp"

namespace speedwell::binary_fluid::device {

/// Planes begin <= z < end.
struct Planes {
  int begin = 0, end = std::numeric_limits<int>::max();
  int size() const { return std::max(end - begin, 0); }
  Planes within(const Domain& box) const { return {begin, std::min(end, box.n[2])}; }
};
constexpr Planes all_planes{};

/// Planes in the order in which they can be computed: `before` the halo has arrived, and `after` it; both together are
/// `all`.
struct Parts {
  Planes all, before;
  std::vector<Planes> after;
};

/// The slab of a rank, with one plane of each neighbour. The box of kernels ends at walls: there it has no plane beyond
/// its own ones, so that a wall is beside the first or the last plane of the box. In a slab without walls beside it
/// kernels compute neither of these planes, and neither the wrapping of a periodic box nor walls take effect.
struct Slab {
  Slab(const Problem& problem, const comm::Decomposition& division, int rank)
      : box(problem), layout(division, rank, comm::HaloShape::faces) {
    const auto has_neighbor = [&](int side) {
      return division.divides(0) && division.neighbor(rank, {side, 0, 0}).has_value();
    };
    below = has_neighbor(-1);
    above = has_neighbor(1);
    plane = std::int64_t{box.n[0]} * box.n[1];
    const comm::Tile tile = division.tile(rank);
    first_plane = tile.ranges[0].begin;
    const auto in_box = [&](const comm::Range& range) {
      const std::int64_t skipped = division.divides(0) && !below ? 1 : 0;
      return Planes{static_cast<int>(range.begin - skipped), static_cast<int>(range.end - skipped)};
    };
    own = in_box(layout.own().ranges[0]);
    box.n[2] = own.end + (above ? 1 : 0);
    sweep = {own, in_box(layout.interior().ranges[0]), {}};
    for (const auto& region : layout.rim()) sweep.after.push_back(in_box(region.ranges[0]));
    from_all = {{0, box.n[2]}, own, {}};
    if (below) from_all.after.push_back({0, own.begin});
    if (above) from_all.after.push_back({own.end, box.n[2]});
  }
  /// Sites of a field of the layout before the first one of the box.
  std::int64_t skipped() const { return layout.own().ranges[0].begin * plane - own.begin * plane; }
  std::int64_t own_sites() const { return own.size() * plane; }
  bool alone() const { return layout.messages().empty(); }

  Domain box;
  comm::HaloLayout layout;            // of fields that are exchanged
  Planes own;                         // planes of the box
  Parts sweep;                        // own planes, which read their neighbours
  Parts from_all;                     // all planes of the box: those that send to own planes
  std::int64_t plane = 0;             // sites of a plane
  std::int64_t first_plane = 0;       // of the own ones, in the whole box
  bool below = false, above = false;  // whether there is a neighbour
};

}  // namespace speedwell::binary_fluid::device

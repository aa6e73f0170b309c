// Ranges of planes along z, and the slab of a rank: its own planes of the box, with one plane of each neighbour beside
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/comm/halo_layout.hpp"

namespace speedwell::binary_fluid::device {

/// Planes begin <= z < end of a box; the default is all of them.
struct Planes {
  int begin = 0, end = std::numeric_limits<int>::max();
  int size() const { return std::max(end - begin, 0); }
  Planes within(const Domain& box) const { return {begin, std::min(end, box.n[2])}; }
};
constexpr Planes all_planes{};

/// The planes `all` of a pass in two parts, by what they read: `before` needs no halo and is computed while the halo
/// travels; the ranges of `after` are computed when it has arrived.
struct Parts {
  Planes all, before;
  std::vector<Planes> after;
};

/// The slab of a rank as kernels see it. Its box begins with the halo plane of the neighbour below, if there is one,
/// and ends with that of the neighbour above. Where there is none, at a wall or if the slab is the whole box, the box
/// has no halo plane, so that kernels find the wall, or wrap around, at its first or last plane.
///
/// At an end of the box with a halo plane kernels would do the same, which is wrong there. Own planes never read or
/// write beyond that end, because the halo plane is between. Where from_all computes halo planes, what these pass on
/// beyond the end of the box goes to the other halo plane and is not used.
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
  /// The offset of the box's first site in a field of the layout, which has halo planes even beside walls.
  std::int64_t skipped() const { return layout.own().ranges[0].begin * plane - own.begin * plane; }
  /// Sites of the own planes.
  std::int64_t own_sites() const { return own.size() * plane; }
  /// Whether the slab is the whole box, and nothing is exchanged.
  bool alone() const { return layout.messages().empty(); }

  Domain box;
  comm::HaloLayout layout;            // the layout of fields whose halos are exchanged
  Planes own;                         // the rank's own planes, numbered as those of the box
  Parts sweep;                        // own planes, for kernels that read neighbouring planes
  Parts from_all;                     // all planes of the box, for kernels that write to neighbouring planes
  std::int64_t plane = 0;             // sites of a plane
  std::int64_t first_plane = 0;       // number of the first own plane in the whole box
  bool below = false, above = false;  // whether there is a neighbour
};

}  // namespace speedwell::binary_fluid::device

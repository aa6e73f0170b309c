// The populations that cross the faces of slabs, for one lattice in place (in_place.hpp): five of each distribution at
// each face. Before an odd step they are copied from the sites that they leave to the same slots of the neighbour's
// halo, where it reads them. The step overwrites these slots with the populations in the opposite direction, which go
// back to the sites' owner before the next even step.
//
// They travel in a field of four planes of 10 values per site, which the exchange of halos serves as any other: planes
// 1 and 2 go to the neighbours below and above, and planes 0 and 3 come from them.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site.hpp"

namespace speedwell::binary_fluid::device {

enum class Crossing { to_halo, to_owner };

/// Populations of both distributions that cross a face at a site.
constexpr int crossing_values = 10;

/// The division of the field among ranks.
inline comm::Decomposition crossing_division(const Problem& problem, int ranks) {
  const Extents& e = problem.extents;
  return {ranks,
          {{2 * std::int64_t{ranks}, crossing_values * e.ny, e.nx}, {!problem.axes[2].walls, false, false}, {1, 0, 0}},
          {ranks, 1, 1}};
}

/// The velocities of five that go up; their opposites go down.
SPEEDWELL_HD
constexpr int upward(int at) {
  int found = 0;
  for (int p = 1; p < velocities; ++p)
    if (lattice::c(p, 2) > 0 && found++ == at) return p;
  return -1;
}

/// The planes of the box that pass populations to a field, or take them from it, at one face.
struct CrossingFace {
  int own = 0, halo = 0;
  bool has = false;
};
struct CrossingFaces {
  CrossingFace face[2];  // below and above
  explicit CrossingFaces(const Slab& slab)
      : face{{slab.own.begin, slab.own.begin - 1, slab.below}, {slab.own.end - 1, slab.own.end, slab.above}} {}
};

/// Copies what leaves the slab at (i, j) of a face, 0 below and 1 above, to the field.
template <class S>
SPEEDWELL_HD
inline void pack_crossing(const Domain& box, const CrossingFaces& faces, Crossing direction, const Populations<S>& at,
                          S* field, int i, int j, int side) {
  const CrossingFace& face = faces.face[side];
  if (!face.has) return;
  const bool to_halo = direction == Crossing::to_halo, up = to_halo == (side == 0);
  const std::int64_t plane = std::int64_t{box.n[0]} * box.n[1], here = i + std::int64_t{box.n[0]} * j;
  const std::int64_t from = here + (to_halo ? face.own : face.halo) * plane;
  S* const to = field + (1 + side) * crossing_values * plane + here;
#pragma unroll
  for (int q = 0; q < 5; ++q) {
    const int slot = up ? upward(q) : lattice::opposite(upward(q));
    to[2 * q * plane] = at.f[slot * at.stride + from];
    to[(2 * q + 1) * plane] = at.g[slot * at.stride + from];
  }
}

/// Copies what has arrived in the field to (i, j) beside a face. A slot of an own site that a wall separates from the
/// neighbouring slab is no copy of one in the neighbour's halo: the population that the wall returned is there.
template <class S>
SPEEDWELL_HD
inline void unpack_crossing(const Domain& box, const CrossingFaces& faces, Crossing direction, const S* field,
                            const Populations<S>& at, int i, int j, int side) {
  const CrossingFace& face = faces.face[side];
  if (!face.has) return;
  const bool to_halo = direction == Crossing::to_halo, up = to_halo == (side == 1);
  const std::int64_t plane = std::int64_t{box.n[0]} * box.n[1], here = i + std::int64_t{box.n[0]} * j;
  const std::int64_t to = here + (to_halo ? face.halo : face.own) * plane;
  const S* const from = field + (side == 0 ? 0 : 3) * crossing_values * plane + here;
  const Surroundings around(box, i, j, face.own);
#pragma unroll
  for (int q = 0; q < 5; ++q) {
    const int p = upward(q), slot = up ? p : lattice::opposite(p), back = up ? -1 : 1;
    if (!to_halo && around.wall(back * lattice::c(p, 0), back * lattice::c(p, 1), 0)) continue;
    at.f[slot * at.stride + to] = from[2 * q * plane];
    at.g[slot * at.stride + to] = from[(2 * q + 1) * plane];
  }
}

}  // namespace speedwell::binary_fluid::device

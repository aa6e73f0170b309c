// The populations that cross the faces between slabs, for one lattice in place (in_place.hpp): of each distribution, f
// and g, the five of 19 whose velocity has a component along z towards the face.
//
// Before an odd step the incoming population p is in slot 19 - p of the site it comes from. If that site is in a
// neighbour's slab, its slots are copied to the same slots of the halo plane, where the step reads them. The step then
// stores the populations that leave the slab in the halo's slots that it has read. They are copied back to the same
// slots of the neighbour's own sites before the next even step, which reads its own sites only.
//
// They travel in a field of four planes with 10 values per site, [plane][10][ny][nx], so that the exchange of halos
// serves it as any other field: planes 1 and 2 are a rank's own ones and go to the neighbours below and above, and
// planes 0 and 3 are its halo, which the neighbours fill.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/planes.hpp"
#include "speedwell/apps/binary_fluid/gpu/site.hpp"

namespace speedwell::binary_fluid::device {

/// The direction of a copy: to the neighbour's halo before odd steps, and back to the owner of the sites before even
/// ones.
enum class Crossing { to_halo, to_owner };

/// Values per site of a face: five populations of f and five of g, alternately.
constexpr int crossing_values = 10;

/// The division of the field among ranks along z: two planes of 10 ny rows of nx values for each rank, and a halo of
/// one plane on both sides. Periodic along z unless the box has walls there.
inline comm::Decomposition crossing_division(const Problem& problem, int ranks) {
  const Extents& e = problem.extents;
  return {ranks,
          {{2 * std::int64_t{ranks}, crossing_values * e.ny, e.nx}, {!problem.axes[2].walls, false, false}, {1, 0, 0}},
          {ranks, 1, 1}};
}

/// The number of the velocity that is `at`-th, 0 to 4, of those with a positive z component; their opposites go down.
SPEEDWELL_HD
constexpr int upward(int at) {
  int found = 0;
  for (int p = 1; p < velocities; ++p)
    if (lattice::c(p, 2) > 0 && found++ == at) return p;
  return -1;
}

/// One face of a slab: the plane of the box beside it that the slab owns, the halo plane behind it, and whether there
/// is a neighbour.
struct CrossingFace {
  int own = 0, halo = 0;
  bool has = false;
};
struct CrossingFaces {
  CrossingFace face[2];  // below and above
  explicit CrossingFaces(const Slab& slab)
      : face{{slab.own.begin, slab.own.begin - 1, slab.below}, {slab.own.end - 1, slab.own.end, slab.above}} {}
};

/// Copies what leaves the slab at (i, j) of face `side`, 0 below and 1 above, to the field, by one thread for each site
/// of both faces (passes.cu). To the neighbour's halo go the slots of own sites that it reads there; to the owner go
/// the slots of the halo in which the last step has stored what leaves.
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

/// Copies what has arrived in the field to (i, j) of face `side`, by one thread for each site of both faces. The slot
/// of an own site is kept if a wall along x or y is where its population would come from: it then holds the population
/// that the wall has returned, and the neighbour's halo has nothing for it.
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

// Addresses of populations if one lattice serves for reading and writing (the AA pattern: Bailey et al., ICPP 2009).
//
// Before an even step population p of a site is in the site's own slot p. The step stores the outgoing population p in
// slot 19 - p of the same site, so that before an odd step the incoming population p is in slot 19 - p of the site it
// comes from. The odd step stores the outgoing population p in slot p of its destination. In both steps the outgoing
// population p overwrites the incoming population 19 - p, and no other site accesses that slot in the step: sites can
// be processed in any order.
//
// At a wall the outgoing population p returns as 19 - p (half-way bounce-back): it is in the site's own slot 19 - p,
// before odd steps and before even ones.
#pragma once

#include <cstdint>

#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {

/// The neighbours of a site, and which of its faces are walls.
struct Surroundings {
  Near near;
  unsigned wall_bits = 0;  // bit 2 d + s: along axis d, below (s = 0) or above

  SPEEDWELL_HD
  Surroundings(const Domain& box, int i, int j, int k) : near(box, i, j, k) {
    const int at[3] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      // The comparisons come before the shift: with UBSan, GCC 12 reads the array before it has computed the index.
      const unsigned below = at[d] == 0, above = at[d] == box.n[d] - 1;
      if (box.walls[d]) wall_bits |= (below + 2 * above) << (2 * d);
    }
  }
  /// Whether there is a wall at this offset, -1 to 1 along each axis.
  SPEEDWELL_HD
  bool wall(int dx, int dy, int dz) const {
    const int to[3] = {dx, dy, dz};
    unsigned mask = 0;
    for (int d = 0; d < 3; ++d) {
      const unsigned below = to[d]<0, above = to[d]> 0;
      mask |= (below + 2 * above) << (2 * d);
    }
    return (wall_bits & mask) != 0;
  }
  /// The index of the incoming population p; `stride` is the distance between slots.
  SPEEDWELL_HD
  std::int64_t index(int p, bool odd, std::int64_t stride) const {
    const int x = -lattice::c(p, 0), y = -lattice::c(p, 1), z = -lattice::c(p, 2);
    if (!odd || (wall_bits != 0 && wall(x, y, z))) return p * stride + near.site(0, 0, 0);
    return lattice::opposite(p) * stride + near.site(x, y, z);
  }
  /// What a moving wall adds to the returning population p: 6 w c.u of the walls that p comes from.
  SPEEDWELL_HD
  double push(const Domain& box, int p) const {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const int from = -lattice::c(p, d);
      if (from == 0 || (wall_bits >> (2 * d + (from > 0 ? 1 : 0)) & 1u) == 0) continue;
      const double(&wall)[3] = box.push[d][from > 0 ? 1 : 0];
      for (int x = 0; x < 3; ++x) sum += lattice::weight(p) * lattice::c(p, x) * wall[x];
    }
    return sum;
  }
};

/// A distance between slots that avoids conflicts between them in a cache.
inline std::int64_t slot_stride(std::int64_t sites, std::int64_t bytes_each) {
  const std::int64_t line = 64 / bytes_each, page = 4096 / bytes_each;
  const std::int64_t lines = (sites + line - 1) / line * line;
  return (lines + page - 1) / page * page + 5 * line;
}

}  // namespace speedwell::binary_fluid

// What moving walls add to the populations of a row.
#pragma once

#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"

namespace speedwell::binary_fluid {

/// `around` has the walls normal to y and z beside the row; those normal to x concern the ends of the row.
template <class S>
void add_wall_terms(const Surroundings& around, const Domain& box, Row<S>& row) {
  row.moving_walls = true;
  for (int p = 1; p < velocities; ++p) {
    row.wall_term[p] = around.push(box, p);
    if (lattice::c(p, 0) == 0) continue;
    for (int side = 0; side < 2; ++side)
      for (int x = 0; x < 3; ++x)
        row.x_wall_term[side][p] += lattice::weight(p) * lattice::c(p, x) * box.push[0][side][x];
  }
}

}  // namespace speedwell::binary_fluid

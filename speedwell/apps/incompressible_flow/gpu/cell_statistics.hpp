// The contribution of one cell to the sums of statistics. Internal linkage. Included by CUDA sources only.
#pragma once

#include <cmath>

#include "speedwell/apps/incompressible_flow/cpu/momentum.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics_sums.hpp"

namespace speedwell::incompressible_flow {
namespace {

/// Adds the terms of a cell of a mesh of n cells, or of a slab of it. u(c, di, dj, dk) is the velocity around the cell,
/// with one offset of -1 or 1 at most; wall_drag(c) is as in wall_drag(), or 0. closed[d]: whether the mesh ends at its
/// low and at its high side along axis d, where the box is not periodic and no slab follows. The terms of a slab's
/// cells read one ghost plane on either side, and are those of the same cells in the whole mesh.
template <class T, class Velocity, class Friction, class Sums>
__device__ inline void add_statistics(const int (&at)[3], const int (&n)[3], const bool (&closed)[3][2],
                                      const MeshMetrics<T>& m, const Velocity& u, const Friction& wall_drag, Sums& s,
                                      Largest& largest) {
  double width[3], centre[3], out = 0;
  for (int d = 0; d < 3; ++d) width[d] = m.axis[d].width[at[d]];
  const double cell = width[0] * width[1] * width[2];
  for (int c = 0; c < 3; ++c) {
    const auto neighbour = [&](int b, int by) { return u(c, b == 0 ? by : 0, b == 1 ? by : 0, b == 2 ? by : 0); };
    const double own = u(c, 0, 0, 0), before = neighbour(c, -1);
    const double around = cell / width[c] / m.axis[c].inverse_distance[at[c]];  // the momentum volume
    s[mean_x + c] += around * own;
    s[square_x + c] += around * own * own;
    const double stretch = (own - before) / width[c];
    s[stretch_x2 + c] += cell * stretch * stretch;
    s[stretch_x3 + c] += cell * stretch * stretch * stretch;
    out += stretch;
    centre[c] = 0.5 * (own + before);
    largest.fastest = fmax(largest.fastest, fabs(own));
    // Links to the next face along each axis, and those to walls at both ends, where ghost cells are mirror images.
    for (int b = 0; b < 3; ++b) {
      if (b == c) {
        s[loss] += cell * stretch * stretch;
        continue;
      }
      const double across = around / width[b];  // area of the link
      const double next = neighbour(b, 1) - own, length = 1 / static_cast<double>(m.axis[b].inverse_distance[at[b]]);
      const bool is_last = closed[b][1] && at[b] == n[b] - 1, is_first = closed[b][0] && at[b] == 0;
      // At walls half the mirrored difference over half the distance.
      s[loss] += across * next * next / length * (is_last ? 0.5 : 1);
      if (is_first) {
        const double first = own - neighbour(b, -1);
        s[loss] += across * first * first * 0.5 * static_cast<double>(m.axis[b].inverse_distance[-1]);
      }
    }
    const double f = wall_drag(c);
    if (f > 0) s[loss] += around * f * own * own;
  }
  s[mixed_xy] += cell * centre[0] * centre[1];
  s[mixed_xy + 1] += cell * centre[0] * centre[2];
  s[mixed_xy + 2] += cell * centre[1] * centre[2];
  s[volume] += cell;
  const double min_width = fmin(width[0], fmin(width[1], width[2]));
  // Values that are not finite must not be lost in a maximum.
  largest.divergence = std::isfinite(out) ? fmax(largest.divergence, fabs(out) * min_width) : HUGE_VAL;
}

}  // namespace
}  // namespace speedwell::incompressible_flow

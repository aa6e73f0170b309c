// Marches of collided sites along z: strips of rows, in one step or in one computation of phi. In each plane the
// outgoing populations of three rows at a time are computed. The populations that arrive at a row start the moments of
// the plane above, add to those of this plane, and complete those of the plane below, which then collide.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/binary_fluid/cpu/cpu_moments.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {

/// Memory of a march for rows of n sites. The moments of a strip's rows and the populations of three rows fit into a
/// core's second-level cache.
template <class R>
struct MarchScratch {
  static constexpr std::int64_t strip_bytes = 1024 * 1024;
  static constexpr int rows_in_flight = 3;

  explicit MarchScratch(std::int64_t n) {
    const std::int64_t pitch = row_pitch(n), row = moment_fields * 2 * pitch;
    const std::int64_t in_flight = rows_in_flight * 2 * velocities * pitch, word = sizeof(R);
    rows = static_cast<int>(std::clamp<std::int64_t>((strip_bytes - in_flight * word) / (row * word), 4, 64));
    size = in_flight + rows * row;
  }
  int rows = 0;           // at most in a strip
  std::int64_t size = 0;  // elements
};

/// Sites j0 <= j < j1, k0 <= k < k1 of a strip.
struct Strip {
  int j0, j1, k0, k1;
};

/// Whether collided sites should be written with non-temporal stores: rows of n sites, of `sites` in all.
template <class S>
bool streams(std::int64_t n, double sites) {
  constexpr std::int64_t line_bytes = 64;
  constexpr double streaming_bytes = 128.0 * 1024 * 1024;
  return n * static_cast<std::int64_t>(sizeof(S)) % line_bytes == 0 && sites * 30 * sizeof(S) > streaming_bytes;
}

/// Computes the next collided sites of a strip, if `whole`, otherwise phi. `rows` has the size, ghosts and stride of
/// rows, and
///   const S* collided(j, k)   the first site of a row, in which j and k may be one beyond the ends of the strip
///   S* next(j, k)             where the next collided sites of a row go
///   R* phi(j, k)              phi of a row
///   Stack<R> stack(j, k)      the nine rows of phi around a row
///   void plane_done()         called after each plane
/// `scratch` has the size of MarchScratch; elements before its begin, too: row_margin.
template <bool whole, class S, class R, class Rows>
void march_strip(const Coefficients<R>& k, const MomentKernels<S, R>& kernels, const Rows& rows, const Strip& strip,
                 R* scratch) {
  constexpr int distributions = whole ? 2 : 1;
  constexpr int rows_in_flight = MarchScratch<R>::rows_in_flight;
  const int n = rows.n;
  const std::int64_t pitch = row_pitch(n), row_of_populations = distributions * velocities * pitch;
  const std::int64_t fields = whole ? moment_fields : 1;
  R* const moments = scratch + rows_in_flight * row_of_populations;
  const auto populations = [&](int j) { return scratch + (j - strip.j0 + 1) % rows_in_flight * row_of_populations; };
  for (int plane = strip.k0 - 1; plane <= strip.k1; ++plane) {
    for (int j = strip.j0 - 1; j <= strip.j1; ++j) {
      R* const left = populations(j);
      kernels.leave(k, n, rows.ghosts, rows.collided(j, plane), rows.stride, whole ? left : nullptr,
                    whole ? left + velocities * pitch : left);
      if (j < strip.j0 + 1) continue;
      const int own = j - 1, below = plane - 1;
      Incoming<R> f, g;
      for (int p = 0; p < velocities; ++p) {
        const R* const from = populations(own - lattice::c(p, 1)) + p * pitch - lattice::c(p, 0);
        f.of[p] = from;
        g.of[p] = whole ? from + velocities * pitch : from;
      }
      R *const low = moments + (own - strip.j0) * 2 * fields * pitch, *const here = low + fields * pitch;
      const bool ends = below >= strip.k0;
      if constexpr (whole)
        kernels.step(k, n, f, g, low, here, ends ? rows.stack(own, below) : Stack<R>{},
                     ends ? rows.next(own, below) : nullptr, rows.stride, rows.streaming);
      else
        kernels.phi(n, rows.ghosts, g, low, here, ends ? rows.phi(own, below) : nullptr);
    }
    rows.plane_done();
  }
}

}  // namespace speedwell::binary_fluid

// The study's collision of one site, in functions that tests also call on the host.
#pragma once

#include "speedwell/apps/binary_fluid/lattice/collision.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {

/// Computes each moment in a loop over the populations in memory.
template <class S>
SPEEDWELL_HD
inline Moments<S> reread(const volatile S* f, const volatile S* g) {
  Moments<S> at;
  for (int p = 0; p < velocities; ++p) at.r += f[p];
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < velocities; ++p) at.m[d] += f[p] * S(lattice::c(p, d));
  int pair = 0;
  for (int x = 0; x < 3; ++x)
    for (int y = x; y < 3; ++y, ++pair)
      for (int p = 0; p < velocities; ++p)
        at.s[pair] += f[p] * (S(lattice::c(p, x) * lattice::c(p, y)) - (x == y ? S(1.0 / 3) : S(0)));
  for (int p = 0; p < velocities; ++p) at.phi += g[p];
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < velocities; ++p) at.j[d] += g[p] * S(lattice::c(p, d));
  return at;
}

template <bool registers, class S>
SPEEDWELL_HD
inline void study_site(const Coefficients<S>& k, S* site, const S* difference, S* velocity) {
  Differences<S> d;
  for (int x = 0; x < 3; ++x) d.gradient[x] = difference[x];
  d.laplacian = difference[3];
  S f[velocities], g[velocities];
  Moments<S> before;
  if constexpr (registers) {
    for (int p = 0; p < velocities; ++p) f[p] = site[p], g[p] = site[velocities + p];
    before = moments_of(f, g);
  } else {
    before = reread<S>(site, site + velocities);
  }
  const Collided<S> after = collide(k, before, d, Differences<S>{});
  expand(quadratic_f(after), f);
  expand(quadratic_g(k, after), g);
  g[0] += after.phi;
  for (int p = 0; p < velocities; ++p) site[p] = f[p], site[velocities + p] = g[p];
  for (int x = 0; x < 3; ++x) velocity[x] = (before.m[x] + k.half_force[x]) / (S(1) + before.r);
}

/// The box of the study: sites with a halo around them, z fastest.
struct StudyBox {
  int nx, ny, nz;
  SPEEDWELL_HD
  std::int64_t with_halo(int i, int j, int z) const {
    return (std::int64_t{i + 1} * (ny + 2) + j + 1) * (nz + 2) + z + 1;
  }
};

}  // namespace speedwell::binary_fluid

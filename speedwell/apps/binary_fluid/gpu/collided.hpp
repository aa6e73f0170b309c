// Memory layout of sites after their collision: fifteen numbers per site (Collided) instead of the 38 populations,
// which outgoing_populations() computes from them. Each number has a field of its own, so that threads of neighbouring
// sites access neighbouring memory. S is the type in memory and R that of the arithmetic. Host and device code.
#pragma once

#include "speedwell/apps/binary_fluid/lattice/collision.hpp"

namespace speedwell::binary_fluid {

/// The fields in their order: density minus 1, momentum x, y, z, stress xx, xy, xz, yy, yz, zz, phi, its flux x, y, z,
/// and mu times Coefficients::mu_factor.
constexpr int collided_fields = 15;

/// Loads the numbers of site `site`; `stride` is the distance between fields, at least the number of sites, in
/// elements.
template <class S, class R>
SPEEDWELL_HD
inline Collided<R> load_collided(const S* from, std::int64_t stride, std::int64_t site) {
  R v[collided_fields];
#pragma unroll
  for (int q = 0; q < collided_fields; ++q) v[q] = static_cast<R>(from[q * stride + site]);
  return {v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7], v[8], v[9]}, v[10], {v[11], v[12], v[13]}, v[14]};
}
/// Stores the numbers of a site, rounded to S.
template <class S, class R>
SPEEDWELL_HD
inline void store_collided(S* to, std::int64_t stride, std::int64_t site, const Collided<R>& c) {
  const R v[collided_fields] = {c.r,    c.m[0], c.m[1], c.m[2], c.s[0], c.s[1], c.s[2], c.s[3],
                                c.s[4], c.s[5], c.phi,  c.j[0], c.j[1], c.j[2], c.mu};
#pragma unroll
  for (int q = 0; q < collided_fields; ++q) to[q * stride + site] = static_cast<S>(v[q]);
}
/// Computes the outgoing populations of a site, f and g, both overwritten.
template <class R>
SPEEDWELL_HD
inline void outgoing_populations(const Coefficients<R>& k, const Collided<R>& c, R (&f)[velocities],
                                 R (&g)[velocities]) {
  expand(quadratic_f(c), f);
  expand(quadratic_g(k, c), g);
  g[0] = g[0] + c.phi;  // quadratic_g() leaves phi out
}

}  // namespace speedwell::binary_fluid

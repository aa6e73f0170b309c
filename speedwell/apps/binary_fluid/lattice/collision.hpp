// The mathematics of one site for all fast variants: moments, their collision, and populations from moments. Sources:
// Stratford et al., J. Stat. Phys. 121 (2005) 163; Kendon et al., JFM 440 (2001) 147 for the projected g.
#pragma once

#include "speedwell/apps/binary_fluid/lattice/arithmetic.hpp"
#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::binary_fluid {

/// Coefficients of the collision, computed once from the problem.
template <class R>
struct Coefficients {
  R a, b, kappa, c;
  R keep_shear, omega_shear;  // 1 - omega and omega of the traceless stress
  R keep_bulk, omega_bulk;    // 1 - omega and omega of the trace of the stress
  R force_factor;             // 2 - omega_shear
  R keep_even, keep_odd;      // 1 - omega of the ghost modes
  R keep_flux, flux_rate;     // 1 - 1/tau and 1/tau of the flux of phi
  R mu_factor;                // factor of mu in the second moment of g
  R force[3], half_force[3];
  bool brazovskii, forced, ghosts, twenty_seven;

  Coefficients() = default;
  explicit Coefficients(const Problem& p) {
    const Fluid& fluid = p.fluid;
    const double shear = 1 / (0.5 + 3 * fluid.viscosity), bulk = 1 / (0.5 + 3 * fluid.zeta());
    const double t = 3 * fluid.viscosity, tau = 0.5 + fluid.mobility;
    // Walls stand half-way where (1/omega_s - 1/2)(1/omega_o - 1/2) = 3/16.
    const double odd = p.scheme.collision == Collision::trt ? 2 * t / (t + 3.0 / 8) : shear;
    a = R(fluid.energy.a), b = R(fluid.energy.b), kappa = R(fluid.energy.kappa), c = R(fluid.energy.c);
    keep_shear = R(1 - shear), omega_shear = R(shear), keep_bulk = R(1 - bulk), omega_bulk = R(bulk);
    force_factor = R(2 - shear);
    ghosts = p.scheme.collision != Collision::m10;
    keep_even = R(ghosts ? 1 - shear : 0), keep_odd = R(ghosts ? 1 - odd : 0);
    const bool relaxed = p.scheme.order_parameter == OrderParameter::relaxed;
    keep_flux = R(relaxed ? 1 - 1 / tau : 0), flux_rate = R(relaxed ? 1 / tau : 1);
    // phi diffuses with the mobility mu_factor (tau - 1/2): M in both schemes, as tau is 1/2 + M, or 1 if projected.
    mu_factor = R(relaxed ? 1 : 2 * fluid.mobility);
    forced = false;
    for (int d = 0; d < 3; ++d) {
      force[d] = R(fluid.force[static_cast<std::size_t>(d)]);
      half_force[d] = R(fluid.force[static_cast<std::size_t>(d)] / 2);
      forced = forced || force[d] != 0;
    }
    brazovskii = fluid.energy.kind == FreeEnergy::Kind::brazovskii;
    twenty_seven = p.scheme.stencil == Stencil::twenty_seven;
  }
  SPEEDWELL_HD
  Stencil stencil() const { return twenty_seven ? Stencil::twenty_seven : Stencil::seven; }
};

/// Ten moments of f and four of g. r is the density's difference from 1; s is the stress sum of f (c_a c_b - delta/3):
/// xx, xy, xz, yy, yz, zz.
template <class T>
struct Moments {
  T r = {}, m[3] = {}, s[6] = {};
  T phi = {}, j[3] = {};
};

/// A site after its collision in fifteen numbers: the moments of f other than ghost modes, and all moments of g.
template <class T>
struct Collided {
  T r, m[3], s[6];
  T phi, j[3], mu;  // mu is multiplied by Coefficients::mu_factor
};

/// The terms of the 19 populations w (a + 3 v.c + 9/2 c.q.c).
template <class T>
struct Quadratic {
  T a, v[3], q[6];
};

/// The indices of xy, xz and yz are 1, 2 and 4; those of the diagonal elements are 0, 3 and 5.
template <class T>
SPEEDWELL_HD
inline T trace(const T (&s)[6]) { return (s[0] + s[3]) + s[5]; }

template <class T>
SPEEDWELL_HD
inline void expand(const Quadratic<T>& h, T (&out)[velocities]) {
  using R = Real<T>;
  constexpr R diagonal = R(1.0 / 36), axial = R(1.0 / 18);
  out[0] = R(1.0 / 3) * h.a;
  const auto axis = [&](T q, T v, int high, int low) {
    const T even = axial * mad<T>(splat<T>(R(4.5)), q, h.a), odd = R(1.0 / 6) * v;
    out[high] = even + odd;
    out[low] = even - odd;
  };
  axis(h.q[0], h.v[0], 3, 16);
  axis(h.q[3], h.v[1], 7, 12);
  axis(h.q[5], h.v[2], 9, 10);
  const auto plane = [&](T qa, T qb, T qab, T va, T vb, int pp, int mm, int pm, int mp) {
    const T base = diagonal * mad<T>(splat<T>(R(4.5)), qa + qb, h.a), mixed = R(0.25) * qab;
    const T along = base + mixed, across = base - mixed;
    const T sum = R(1.0 / 12) * (va + vb), difference = R(1.0 / 12) * (va - vb);
    out[pp] = along + sum;
    out[mm] = along - sum;
    out[pm] = across + difference;
    out[mp] = across - difference;
  };
  plane(h.q[0], h.q[3], h.q[1], h.v[0], h.v[1], 1, 18, 5, 14);
  plane(h.q[0], h.q[5], h.q[2], h.v[0], h.v[2], 2, 17, 4, 15);
  plane(h.q[3], h.q[5], h.q[4], h.v[1], h.v[2], 6, 13, 8, 11);
}

/// The terms of f at a site before its collision (Moments) or after it (Collided).
template <template <class> class Site, class T>
SPEEDWELL_HD
inline Quadratic<T> quadratic_f(const Site<T>& at) {
  using R = Real<T>;
  return {mad<T>(splat<T>(R(-1.5)), trace(at.s), at.r),
          {at.m[0], at.m[1], at.m[2]},
          {at.s[0], at.s[1], at.s[2], at.s[3], at.s[4], at.s[5]}};
}
/// phi is left out: all of it is in the population at rest.
template <class T>
SPEEDWELL_HD
inline Quadratic<T> quadratic_g(const Coefficients<Real<T>>& k, const Collided<T>& at) {
  using R = Real<T>;
  const T inverse = R(1) / (R(1) + at.r);
  T u[3], of_u[3];
  for (int d = 0; d < 3; ++d) {
    u[d] = (at.m[d] - k.half_force[d]) * inverse;
    of_u[d] = at.phi * u[d];
  }
  Quadratic<T> h;
  h.q[0] = mad<T>(of_u[0], u[0], at.mu);
  h.q[1] = of_u[0] * u[1];
  h.q[2] = of_u[0] * u[2];
  h.q[3] = mad<T>(of_u[1], u[1], at.mu);
  h.q[4] = of_u[1] * u[2];
  h.q[5] = mad<T>(of_u[2], u[2], at.mu);
  h.a = R(-1.5) * trace(h.q);
  for (int d = 0; d < 3; ++d) h.v[d] = at.j[d];
  return h;
}

/// Moments are accumulated over three groups of populations in this order: those from the plane below (c_z = 1), from
/// the same plane (0) and from the plane above (-1). Kernels that receive them plane by plane thus compute the same
/// bits as those that have all at once. The second moments accumulate c_a c_b; settle() converts them to stresses.
template <class T>
SPEEDWELL_HD
inline Moments<T> begin_from_below(const T (&f)[velocities], const T (&g)[velocities]) {
  Moments<T> to;
  const T x = f[2] - f[15], xx = f[2] + f[15], y = f[6] - f[11], yy = f[6] + f[11];
  const T all = (xx + yy) + f[9];
  to.r = all;
  to.m[0] = x;
  to.m[1] = y;
  to.m[2] = all;
  to.s[0] = xx;
  to.s[2] = x;
  to.s[3] = yy;
  to.s[4] = y;
  to.s[5] = all;
  const T of_g = ((g[2] + g[15]) + (g[6] + g[11])) + g[9];
  to.phi = of_g;
  to.j[0] = g[2] - g[15];
  to.j[1] = g[6] - g[11];
  to.j[2] = of_g;
  return to;
}
template <class T>
SPEEDWELL_HD
inline void add_from_same_plane(const T (&f)[velocities], const T (&g)[velocities], Moments<T>& to) {
  const T along = f[1] + f[18], across = f[5] + f[14], diagonals = along + across;
  const T forward = f[1] - f[18], aside = f[5] - f[14];
  const T x = f[3] + f[16], y = f[7] + f[12];
  to.r = to.r + (((x + y) + diagonals) + f[0]);
  to.m[0] = to.m[0] + ((f[3] - f[16]) + (forward + aside));
  to.m[1] = to.m[1] + ((f[7] - f[12]) + (forward - aside));
  to.s[0] = to.s[0] + (x + diagonals);
  to.s[1] = along - across;
  to.s[3] = to.s[3] + (y + diagonals);
  const T of_forward = g[1] - g[18], of_aside = g[5] - g[14];
  to.phi = to.phi + ((((g[3] + g[16]) + (g[7] + g[12])) + ((g[1] + g[18]) + (g[5] + g[14]))) + g[0]);
  to.j[0] = to.j[0] + ((g[3] - g[16]) + (of_forward + of_aside));
  to.j[1] = to.j[1] + ((g[7] - g[12]) + (of_forward - of_aside));
}
template <class T>
SPEEDWELL_HD
inline void add_from_above(const T (&f)[velocities], const T (&g)[velocities], Moments<T>& to) {
  const T x = f[4] - f[17], xx = f[4] + f[17], y = f[8] - f[13], yy = f[8] + f[13];
  const T all = (xx + yy) + f[10];
  to.r = to.r + all;
  to.m[0] = to.m[0] + x;
  to.m[1] = to.m[1] + y;
  to.m[2] = to.m[2] - all;
  to.s[0] = to.s[0] + xx;
  to.s[2] = to.s[2] - x;
  to.s[3] = to.s[3] + yy;
  to.s[4] = to.s[4] - y;
  to.s[5] = to.s[5] + all;
  const T of_g = ((g[4] + g[17]) + (g[8] + g[13])) + g[10];
  to.phi = to.phi + of_g;
  to.j[0] = to.j[0] + (g[4] - g[17]);
  to.j[1] = to.j[1] + (g[8] - g[13]);
  to.j[2] = to.j[2] - of_g;
}
template <class T>
SPEEDWELL_HD
inline void settle(Moments<T>& at) {
  using R = Real<T>;
  for (const int d : {0, 3, 5}) at.s[d] = mad<T>(splat<T>(R(-1.0 / 3)), at.r, at.s[d]);
}
template <class T>
SPEEDWELL_HD
inline Moments<T> moments_of(const T (&f)[velocities], const T (&g)[velocities]) {
  Moments<T> at = begin_from_below(f, g);
  add_from_same_plane(f, g, at);
  add_from_above(f, g, at);
  settle(at);
  return at;
}
/// phi from 19 populations, with the same bits as in moments_of().
template <class T>
SPEEDWELL_HD
inline T phi_of(const T (&g)[velocities]) {
  T phi = ((g[2] + g[15]) + (g[6] + g[11])) + g[9];
  phi = phi + ((((g[3] + g[16]) + (g[7] + g[12])) + ((g[1] + g[18]) + (g[5] + g[14]))) + g[0]);
  return phi + (((g[4] + g[17]) + (g[8] + g[13])) + g[10]);
}

/// The collision. `second`, the differences of the Laplacian of phi, is used by Brazovskii's free energy only.
template <class T>
SPEEDWELL_HD
inline Collided<T> collide(const Coefficients<Real<T>>& k, const Moments<T>& at, const Differences<T>& d,
                           const Differences<T>& second) {
  using R = Real<T>;
  const T phi = at.phi, inverse = R(1) / (R(1) + at.r);
  T u[3], momentum[3];
  for (int x = 0; x < 3; ++x) {
    momentum[x] = at.m[x] + k.half_force[x];
    u[x] = momentum[x] * inverse;
  }
  const T phi2 = phi * phi;
  const T bulk = mad<T>(splat<T>(k.b), phi2, splat<T>(k.a));  // mu = phi (a + b phi^2) - kappa lap phi
  T mu = mad<T>(splat<T>(-k.kappa), d.laplacian, phi * bulk);
  const T squared =
      mad<T>(d.gradient[0], d.gradient[0], mad<T>(d.gradient[1], d.gradient[1], d.gradient[2] * d.gradient[2]));
  // a/2 phi^2 + 3b/4 phi^4 - kappa (phi lap phi + |grad phi|^2 / 2)
  T p0 = mad<T>(phi2, mad<T>(splat<T>(R(0.75) * k.b), phi2, splat<T>(R(0.5) * k.a)),
                -k.kappa * mad<T>(phi, d.laplacian, R(0.5) * squared));
  T scaled[3];
  for (int x = 0; x < 3; ++x) scaled[x] = k.kappa * d.gradient[x];
  T seq[6];
  {
    int at_pair = 0;
    for (int x = 0; x < 3; ++x)
      for (int y = x; y < 3; ++y, ++at_pair) seq[at_pair] = mad<T>(momentum[x], u[y], scaled[x] * d.gradient[y]);
  }
  if (k.brazovskii) {
    mu = mad<T>(splat<T>(k.c), second.laplacian, mu);
    T mixed = d.gradient[0] * second.gradient[0];
    mixed = mad<T>(d.gradient[1], second.gradient[1], mixed);
    mixed = mad<T>(d.gradient[2], second.gradient[2], mixed);
    p0 = p0 + k.c * (mad<T>(phi, second.laplacian, R(0.5) * (d.laplacian * d.laplacian)) + mixed);
    int at_pair = 0;
    for (int x = 0; x < 3; ++x)
      for (int y = x; y < 3; ++y, ++at_pair)
        seq[at_pair] =
            seq[at_pair] - k.c * mad<T>(d.gradient[x], second.gradient[y], d.gradient[y] * second.gradient[x]);
  }
  for (const int pair : {0, 3, 5}) seq[pair] = seq[pair] + p0;

  Collided<T> out;
  out.r = at.r;
  for (int x = 0; x < 3; ++x) out.m[x] = at.m[x] + k.force[x];
  const T tr = trace(at.s), tr_eq = trace(seq);
  // Off-diagonal elements become keep s + omega seq; the trace relaxes at its own rate.
  const T excess =
      R(1.0 / 3) * mad<T>(splat<T>(k.keep_bulk - k.keep_shear), tr, (k.omega_bulk - k.omega_shear) * tr_eq);
  for (int pair = 0; pair < 6; ++pair)
    out.s[pair] = mad<T>(splat<T>(k.keep_shear), at.s[pair], k.omega_shear * seq[pair]);
  for (const int pair : {0, 3, 5}) out.s[pair] = out.s[pair] + excess;
  if (k.forced) {
    int pair = 0;
    for (int x = 0; x < 3; ++x)
      for (int y = x; y < 3; ++y, ++pair)
        out.s[pair] = out.s[pair] + k.force_factor * mad<T>(splat<T>(k.force[y]), u[x], k.force[x] * u[y]);
  }
  out.phi = phi;
  for (int x = 0; x < 3; ++x) out.j[x] = mad<T>(splat<T>(k.keep_flux), at.j[x], k.flux_rate * (phi * u[x]));
  out.mu = k.mu_factor * mu;
  return out;
}

/// Overwrites the populations with those after the collision, including ghost modes that do not relax at once.
template <class T>
SPEEDWELL_HD
inline void collide_populations(const Coefficients<Real<T>>& k, const Differences<T>& d, const Differences<T>& second,
                                T (&f)[velocities], T (&g)[velocities]) {
  using R = Real<T>;
  const Moments<T> before = moments_of(f, g);
  const Collided<T> after = collide(k, before, d, second);
  T next[velocities];
  expand(quadratic_f(after), next);
  if (k.ghosts) {
    T smooth[velocities];
    expand(quadratic_f(before), smooth);
    next[0] = next[0] + k.keep_even * (f[0] - smooth[0]);
    for (int p = 1; p < 10; ++p) {
      const T one = f[p] - smooth[p], other = f[19 - p] - smooth[19 - p];
      const T even = (R(0.5) * k.keep_even) * (one + other), odd = (R(0.5) * k.keep_odd) * (one - other);
      next[p] = next[p] + (even + odd);
      next[19 - p] = next[19 - p] + (even - odd);
    }
  }
  for (int p = 0; p < velocities; ++p) f[p] = next[p];
  expand(quadratic_g(k, after), g);
  g[0] = g[0] + after.phi;
}

}  // namespace speedwell::binary_fluid

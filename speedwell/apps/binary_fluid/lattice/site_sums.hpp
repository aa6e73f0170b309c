// The contribution of one site to the statistics of a lattice, and the reduction of such contributions, for host and
// device.
#pragma once

#include <cmath>
#include <cstdint>

#include "speedwell/apps/binary_fluid/lattice/gradients.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::binary_fluid {

struct SiteSums {
  double mass, momentum[3], phi, phi_squared, free_energy, surface;
  double phi_min, phi_max, rho_min, rho_max, speed_max;
  std::int64_t bad_site;  // -1: none

  SPEEDWELL_HD
  static SiteSums none() { return {0, {0, 0, 0}, 0, 0, 0, 0, HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL, 0, -1}; }
  /// Adds the sums of `b`, whose sites follow those of this one.
  SPEEDWELL_HD
  void add(const SiteSums& b) {
    mass += b.mass;
    for (int d = 0; d < 3; ++d) momentum[d] += b.momentum[d];
    phi += b.phi;
    phi_squared += b.phi_squared;
    free_energy += b.free_energy;
    surface += b.surface;
    phi_min = b.phi_min < phi_min ? b.phi_min : phi_min;
    phi_max = b.phi_max > phi_max ? b.phi_max : phi_max;
    rho_min = b.rho_min < rho_min ? b.rho_min : rho_min;
    rho_max = b.rho_max > rho_max ? b.rho_max : rho_max;
    speed_max = b.speed_max > speed_max ? b.speed_max : speed_max;
    if (bad_site < 0 || (b.bad_site >= 0 && b.bad_site < bad_site)) bad_site = b.bad_site;
  }
};

/// Density (its difference from 1), momentum without half of the force, and phi of a site with the populations f(p) and
/// g(p).
struct SiteMoments {
  double r = 0, m[3] = {}, phi = 0;
};
template <class F, class G>
SPEEDWELL_HD
inline SiteMoments site_moments(const F& f, const G& g) {
  SiteMoments at;
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const double value = f(p);
    at.r += value;
    at.phi += g(p);
    for (int d = 0; d < 3; ++d) at.m[d] += value * lattice::c(p, d);
  }
  return at;
}

/// The free energy's parameters and half the force.
struct SumsProblem {
  double a, b, kappa, c, half_force[3];
  bool layered;
  Stencil stencil;
  explicit SumsProblem(const Problem& p)
      : a(p.fluid.energy.a),
        b(p.fluid.energy.b),
        kappa(p.fluid.energy.kappa),
        c(p.fluid.energy.c),
        half_force{p.fluid.force[0] / 2, p.fluid.force[1] / 2, p.fluid.force[2] / 2},
        layered(p.fluid.energy.kind == FreeEnergy::Kind::brazovskii),
        stencil(p.scheme.stencil) {}
};

SPEEDWELL_HD
inline SiteSums sums_of(const SumsProblem& k, const SiteMoments& at, const Differences<double>& d, std::int64_t site) {
  SiteSums t = SiteSums::none();
  const double phi = at.phi, phi2 = phi * phi, rho = 1 + at.r;
  double speed2 = 0, slope2 = 0;
  for (int x = 0; x < 3; ++x) {
    const double u = (at.m[x] + k.half_force[x]) / rho;
    speed2 += u * u;
    slope2 += d.gradient[x] * d.gradient[x];
    t.momentum[x] = at.m[x];
  }
  t.mass = at.r;
  t.phi = phi;
  t.phi_squared = phi2;
  t.free_energy = k.a / 2 * phi2 + k.b / 4 * phi2 * phi2 + k.kappa / 2 * slope2 +
                  (k.layered ? k.c / 2 * d.laplacian * d.laplacian : 0);
  t.surface = sqrt(slope2);
  t.phi_min = t.phi_max = phi;
  t.rho_min = t.rho_max = rho;
  t.speed_max = sqrt(speed2);
  const double all = at.r + at.phi + speed2;
  if (!(all - all == 0)) t.bad_site = site;
  return t;
}

}  // namespace speedwell::binary_fluid

#include "speedwell/apps/binary_fluid/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/apps/binary_fluid/gradients.hpp"
#include "speedwell/apps/binary_fluid/lattice.hpp"

namespace speedwell::binary_fluid {

double Statistics::phi_variance(const Extents& e) const {
  const auto n = static_cast<double>(e.sites());
  return phi_squared / n - phi / n * (phi / n);
}

Fields fields(const Problem& problem, const State& s) {
  const auto n = static_cast<std::size_t>(problem.extents.sites());
  if (s.f.size() != velocities * n || s.g.size() != velocities * n)
    throw std::invalid_argument("binary_fluid: a state of another size");
  Fields all{std::vector<double>(n), std::vector<double>(3 * n), std::vector<double>(n)};
  const auto count = static_cast<std::int64_t>(n);
#pragma omp parallel for
  for (std::int64_t at = 0; at < count; ++at) {
    const auto site = static_cast<std::size_t>(at);
    double r = 0, phi = 0, m[3] = {};
    for (int p = 0; p < velocities; ++p) {
      const double f = s.f[static_cast<std::size_t>(p) * n + site];
      r += f;
      phi += s.g[static_cast<std::size_t>(p) * n + site];
      for (int d = 0; d < 3; ++d) m[d] += f * lattice::c(p, d);
    }
    all.density[site] = r;
    all.phi[site] = phi;
    for (std::size_t d = 0; d < 3; ++d) all.velocity[3 * site + d] = (m[d] + problem.fluid.force[d] / 2) / (1 + r);
  }
  return all;
}

Statistics statistics(const Problem& problem, const State& s) {
  const Extents& e = problem.extents;
  const Fields all = fields(problem, s);
  const FreeEnergy& psi = problem.fluid.energy;
  const bool layered = psi.kind == FreeEnergy::Kind::brazovskii;
  std::vector<Statistics> of_plane(static_cast<std::size_t>(e.nz));
#pragma omp parallel for
  for (std::int64_t k = 0; k < e.nz; ++k) {
    Statistics t;
    t.phi_min = t.rho_min = HUGE_VAL;
    t.phi_max = t.rho_max = -HUGE_VAL;
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) {
        const std::size_t site = e.at(i, j, k);
        const double r = all.density[site], phi = all.phi[site];
        const double* const u = &all.velocity[3 * site];
        if (t.bad_site < 0 && !(std::isfinite(r) && std::isfinite(phi) && std::isfinite(u[0] + u[1] + u[2])))
          t.bad_site = static_cast<std::int64_t>(site);
        const Near near(problem, i, j, k);
        const auto d = differences<double>(problem.scheme.stencil, [&](int x, int y, int z) {
          return all.phi[static_cast<std::size_t>(near.site(x, y, z))];
        });
        const double squared =
            d.gradient[0] * d.gradient[0] + d.gradient[1] * d.gradient[1] + d.gradient[2] * d.gradient[2];
        t.mass += r;
        for (std::size_t x = 0; x < 3; ++x) t.momentum[x] += u[x] * (1 + r) - problem.fluid.force[x] / 2;
        t.phi += phi;
        t.phi_squared += phi * phi;
        t.phi_min = std::min(t.phi_min, phi);
        t.phi_max = std::max(t.phi_max, phi);
        t.rho_min = std::min(t.rho_min, 1 + r);
        t.rho_max = std::max(t.rho_max, 1 + r);
        t.speed_max = std::max(t.speed_max, std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        t.free_energy += psi.a / 2 * phi * phi + psi.b / 4 * phi * phi * phi * phi + psi.kappa / 2 * squared +
                         (layered ? psi.c / 2 * d.laplacian * d.laplacian : 0);
        t.surface += std::sqrt(squared);
      }
    of_plane[static_cast<std::size_t>(k)] = t;
  }
  Statistics sum = of_plane.front();
  for (std::size_t k = 1; k < of_plane.size(); ++k) {
    const Statistics& t = of_plane[k];
    sum.mass += t.mass;
    for (std::size_t d = 0; d < 3; ++d) sum.momentum[d] += t.momentum[d];
    sum.phi += t.phi;
    sum.phi_squared += t.phi_squared;
    sum.phi_min = std::min(sum.phi_min, t.phi_min);
    sum.phi_max = std::max(sum.phi_max, t.phi_max);
    sum.rho_min = std::min(sum.rho_min, t.rho_min);
    sum.rho_max = std::max(sum.rho_max, t.rho_max);
    sum.speed_max = std::max(sum.speed_max, t.speed_max);
    sum.free_energy += t.free_energy;
    sum.surface += t.surface;
    if (sum.bad_site < 0) sum.bad_site = t.bad_site;
  }
  sum.surface = psi.a < 0 && !layered ? sum.surface / (2 * bulk_phi(psi)) : 0;
  return sum;
}

}  // namespace speedwell::binary_fluid

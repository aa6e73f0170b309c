#include "speedwell/apps/binary_fluid/statistics.hpp"

#include <stdexcept>

#include "speedwell/apps/binary_fluid/site_sums.hpp"

namespace speedwell::binary_fluid {
namespace {

void require_size(const Problem& problem, const State& s) {
  const auto n = static_cast<std::size_t>(problem.extents.sites());
  if (s.extents != problem.extents || s.f.size() != velocities * n || s.g.size() != velocities * n)
    throw std::invalid_argument("binary_fluid: a state of another size");
}
SiteMoments moments_at(const State& s, std::size_t site) {
  const auto n = static_cast<std::size_t>(s.extents.sites());
  return site_moments([&](int p) { return s.f[static_cast<std::size_t>(p) * n + site]; },
                      [&](int p) { return s.g[static_cast<std::size_t>(p) * n + site]; });
}

}  // namespace

double Statistics::phi_variance(const Extents& e) const {
  const auto n = static_cast<double>(e.sites());
  return phi_squared / n - phi / n * (phi / n);
}

Fields fields(const Problem& problem, const State& s) {
  require_size(problem, s);
  const std::int64_t n = problem.extents.sites();
  const auto size = static_cast<std::size_t>(n);
  Fields all{std::vector<double>(size), std::vector<double>(3 * size), std::vector<double>(size)};
#pragma omp parallel for
  for (std::int64_t at = 0; at < n; ++at) {
    const auto site = static_cast<std::size_t>(at);
    const SiteMoments m = moments_at(s, site);
    all.density[site] = m.r;
    all.phi[site] = m.phi;
    for (std::size_t d = 0; d < 3; ++d) all.velocity[3 * site + d] = (m.m[d] + problem.fluid.force[d] / 2) / (1 + m.r);
  }
  return all;
}

Statistics statistics_of(const Problem& problem, const SiteSums& t) {
  const FreeEnergy& psi = problem.fluid.energy;
  const bool interfaces = psi.kind == FreeEnergy::Kind::symmetric && psi.a < 0;
  return {.mass = t.mass,
          .momentum = {t.momentum[0], t.momentum[1], t.momentum[2]},
          .phi = t.phi,
          .phi_squared = t.phi_squared,
          .phi_min = t.phi_min,
          .phi_max = t.phi_max,
          .rho_min = t.rho_min,
          .rho_max = t.rho_max,
          .speed_max = t.speed_max,
          .free_energy = t.free_energy,
          .surface = interfaces ? t.surface / (2 * bulk_phi(psi)) : 0,
          .bad_site = t.bad_site};
}

Statistics statistics(const Problem& problem, const State& s) {
  require_size(problem, s);
  const Extents& e = problem.extents;
  const SumsProblem k(problem);
  const std::vector<double> phi = fields(problem, s).phi;
  std::vector<SiteSums> of_plane(static_cast<std::size_t>(e.nz), SiteSums::none());
#pragma omp parallel for
  for (std::int64_t z = 0; z < e.nz; ++z)
    for (std::int64_t y = 0; y < e.ny; ++y)
      for (std::int64_t x = 0; x < e.nx; ++x) {
        const Near near(problem, x, y, z);
        const auto d = differences<double>(
            k.stencil, [&](int dx, int dy, int dz) { return phi[static_cast<std::size_t>(near.site(dx, dy, dz))]; });
        const std::size_t site = e.at(x, y, z);
        of_plane[static_cast<std::size_t>(z)].add(sums_of(k, moments_at(s, site), d, static_cast<std::int64_t>(site)));
      }
  SiteSums sum = SiteSums::none();
  for (const SiteSums& plane : of_plane) sum.add(plane);
  return statistics_of(problem, sum);
}

}  // namespace speedwell::binary_fluid

#include "speedwell/apps/binary_fluid/statistics.hpp"

#include "speedwell/apps/binary_fluid/lattice/site_sums.hpp"

namespace speedwell::binary_fluid {
namespace {

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
  require_extents(problem, s);
  const std::int64_t n = problem.extents.sites();
  const auto size = static_cast<std::size_t>(n);
  Fields result{std::vector<double>(size), std::vector<double>(3 * size), std::vector<double>(size)};
#pragma omp parallel for
  for (std::int64_t at = 0; at < n; ++at) {
    const auto site = static_cast<std::size_t>(at);
    const SiteMoments m = moments_at(s, site);
    result.density[site] = m.r;
    result.phi[site] = m.phi;
    for (std::size_t d = 0; d < 3; ++d)
      result.velocity[3 * site + d] = (m.m[d] + problem.fluid.force[d] / 2) / (1 + m.r);
  }
  return result;
}

Statistics statistics_of(const Problem& problem, const SiteSums& sums) {
  const FreeEnergy& psi = problem.fluid.energy;
  const bool has_interfaces = psi.kind == FreeEnergy::Kind::symmetric && psi.a < 0;
  return {.mass = sums.mass,
          .momentum = {sums.momentum[0], sums.momentum[1], sums.momentum[2]},
          .phi = sums.phi,
          .phi_squared = sums.phi_squared,
          .phi_min = sums.phi_min,
          .phi_max = sums.phi_max,
          .rho_min = sums.rho_min,
          .rho_max = sums.rho_max,
          .speed_max = sums.speed_max,
          .free_energy = sums.free_energy,
          .surface = has_interfaces ? sums.surface / (2 * bulk_phi(psi)) : 0,
          .bad_site = sums.bad_site};
}

Statistics statistics(const Problem& problem, const State& s) {
  require_extents(problem, s);
  const Extents& e = problem.extents;
  const SumsProblem k(problem);
  const std::vector<double> phi = fields(problem, s).phi;
  // Sums of planes, added in their order below, so that the results do not depend on the number of threads.
  std::vector<SiteSums> plane_sums(static_cast<std::size_t>(e.nz), SiteSums::none());
#pragma omp parallel for
  for (std::int64_t z = 0; z < e.nz; ++z)
    for (std::int64_t y = 0; y < e.ny; ++y)
      for (std::int64_t x = 0; x < e.nx; ++x) {
        const Near near(problem, x, y, z);
        const auto d = differences<double>(
            k.stencil, [&](int dx, int dy, int dz) { return phi[static_cast<std::size_t>(near.site(dx, dy, dz))]; });
        const std::size_t site = e.at(x, y, z);
        plane_sums[static_cast<std::size_t>(z)].add(
            sums_of(k, moments_at(s, site), d, static_cast<std::int64_t>(site)));
      }
  SiteSums total = SiteSums::none();
  for (const SiteSums& plane : plane_sums) total.add(plane);
  return statistics_of(problem, total);
}

}  // namespace speedwell::binary_fluid

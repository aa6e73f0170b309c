#include "speedwell/apps/binary_fluid/initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {
namespace {

// Marsaglia's KISS99, seeded from a site's coordinates as in Ludwig, so that its published outputs are reproduced.
double noise_at(std::uint32_t seed, const std::int64_t (&at)[3]) {
  std::uint32_t s0 = seed + static_cast<std::uint32_t>(at[0] + 1), s1 = 12953 + static_cast<std::uint32_t>(at[1] + 1),
                s2 = 712357 + static_cast<std::uint32_t>(at[2] + 1), s3 = 22383979;
  const auto next = [&] {
    s0 = 69069 * s0 + 1234567;
    std::uint32_t b = s1 ^ (s1 << 17);
    b ^= b >> 13;
    s1 = b ^ (b << 5);
    s2 = 36969 * (s2 & 65535) + (s2 >> 16);
    s3 = 18000 * (s3 & 65535) + (s3 >> 16);
    return s1 + (s0 ^ ((s2 << 16) + s3));
  };
  std::uint32_t state[4];
  for (std::uint32_t& word : state) word = next();
  s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3];
  return static_cast<double>(next()) / 4294967295.0;
}

double phi_at(const Problem& p, const Beginning& b, const std::int64_t (&at)[3]) {
  const FreeEnergy& psi = p.fluid.energy;
  switch (b.kind) {
    case Beginning::Kind::spinodal:
      return b.phi0 + b.noise * (noise_at(b.seed, at) - 0.5);
    case Beginning::Kind::droplet: {
      double squared = 0;
      for (int d = 0; d < 3; ++d) {
        const double away = static_cast<double>(at[d]) - 0.5 * static_cast<double>(p.extents.extent(d) - 1);
        squared += away * away;
      }
      return bulk_phi(psi) * std::tanh((std::sqrt(squared) - b.radius) / interface_width(psi));
    }
    case Beginning::Kind::flat: {
      const auto n = static_cast<double>(p.extents.extent(b.axis)), x = static_cast<double>(at[b.axis]) + 0.5;
      const double width = interface_width(psi);
      return bulk_phi(psi) * (std::tanh((x - n / 4) / width) - std::tanh((x - 3 * n / 4) / width) - 1);
    }
    case Beginning::Kind::wave:
      return b.phi0 + b.noise * std::cos(2 * std::numbers::pi * static_cast<double>(at[b.axis]) /
                                         static_cast<double>(p.extents.extent(b.axis)));
    case Beginning::Kind::rest:
      return b.phi0;
  }
  return b.phi0;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("binary_fluid: " + what);
}

}  // namespace

void require_valid(const Problem& p, const Beginning& b) {
  require_valid(p);
  const FreeEnergy& psi = p.fluid.energy;
  require(std::isfinite(b.phi0), "phi0 is not finite");
  require(std::isfinite(b.noise), "noise is not finite");
  require(b.axis >= 0 && b.axis < 3, "axis is " + std::to_string(b.axis) + "; allowed: 0 to 2");
  require(std::abs(b.stirring) * std::sqrt(3.0) <= 0.3 / std::sqrt(3.0),
          "stirring is " + fmt::format("{:g}", b.stirring) + "; allowed: -0.1 to 0.1 (Mach 0.3)");
  if (b.kind == Beginning::Kind::droplet || b.kind == Beginning::Kind::flat)
    require(psi.kind == FreeEnergy::Kind::symmetric && psi.a < 0,
            "a is " + fmt::format("{:g}", psi.a) + "; an interface requires the symmetric free energy with a below 0");
  if (b.kind == Beginning::Kind::droplet) {
    require(b.radius > 0, "radius is " + fmt::format("{:g}", b.radius) + "; allowed: above 0");
    for (int d = 0; d < 3; ++d) {
      if (p.extents.extent(d) == 1) continue;
      const double half = 0.5 * static_cast<double>(p.extents.extent(d)), wanted = b.radius + 4 * interface_width(psi);
      require(wanted <= half, "the droplet's radius and four widths of its interface are " +
                                  fmt::format("{:g}", wanted) + "; half the box is " + fmt::format("{:g}", half));
    }
  }
}

State initial_window(const Problem& p, const Beginning& b, const std::array<std::int64_t, 3>& origin,
                     const Extents& e) {
  require_valid(p, b);
  const auto n = static_cast<std::size_t>(e.sites());
  State s{e, core::LargeVector<double>(velocities * n), core::LargeVector<double>(velocities * n)};
#pragma omp parallel for
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) {
        const std::int64_t local[] = {i, j, k};
        std::int64_t at[3];
        double u[3];
        for (std::size_t d = 0; d < 3; ++d) {
          const std::int64_t extent = p.extents.extent(static_cast<int>(d));
          at[d] = ((origin[d] + local[d]) % extent + extent) % extent;
        }
        for (int d = 0; d < 3; ++d) {
          const int along = (d + 1) % 3;
          u[d] = b.stirring * std::sin(2 * std::numbers::pi * static_cast<double>(at[along]) /
                                       static_cast<double>(p.extents.extent(along)));
        }
        const std::size_t site = e.at(i, j, k);
        s.g[site] = phi_at(p, b, at);
        const double squared = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        for (int q = 0; q < velocities; ++q) {
          const double along = u[0] * lattice::c(q, 0) + u[1] * lattice::c(q, 1) + u[2] * lattice::c(q, 2);
          s.f[static_cast<std::size_t>(q) * n + site] =
              lattice::weight(q) * (3 * along + 4.5 * along * along - 1.5 * squared);
        }
      }
  return s;
}

State initial(const Problem& p, const Beginning& b) { return initial_window(p, b, {0, 0, 0}, p.extents); }

}  // namespace speedwell::binary_fluid

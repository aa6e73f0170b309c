// Statistics of a state: conserved quantities, and what a history file lists.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid {

/// Sums are over all sites, in a fixed order whatever the number of threads.
struct Statistics {
  double mass = 0;                   // sum of density - 1
  std::array<double, 3> momentum{};  // sum of f c
  double phi = 0, phi_squared = 0;
  double phi_min = 0, phi_max = 0, rho_min = 0, rho_max = 0;
  double speed_max = 0;  // includes half of the force, as in a collision
  double free_energy = 0;
  double surface = 0;          // integral of |grad phi| / (2 phi*), the area of the interfaces; 0 where there are none
  std::int64_t bad_site = -1;  // the first whose distributions are not finite
  double phi_variance(const Extents& e) const;
};
/// Throws std::invalid_argument for a state of another size.
Statistics statistics(const Problem& problem, const State& state);

/// Density (its difference from 1), velocity and phi of every site. The three components of a velocity are adjacent.
struct Fields {
  std::vector<double> density, velocity, phi;
};
Fields fields(const Problem& problem, const State& state);

struct SiteSums;
/// Statistics from the sums over all sites.
Statistics statistics_of(const Problem& problem, const SiteSums& sums);

}  // namespace speedwell::binary_fluid

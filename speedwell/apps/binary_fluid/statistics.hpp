// Statistics of a state, in lattice units: conserved quantities, extrema, the free energy and the area of interfaces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid {

/// Sums are over all sites, in an order that does not depend on the number of threads.
struct Statistics {
  double mass = 0;                   // sum of density - 1
  std::array<double, 3> momentum{};  // sum of f c over the velocities c; half of the force is not included
  double phi = 0, phi_squared = 0;   // sums of phi and phi^2
  double phi_min = 0, phi_max = 0, rho_min = 0, rho_max = 0;
  double speed_max = 0;    // includes half of the force, as the velocity in a collision does
  double free_energy = 0;  // sum of the free energy density
  double surface = 0;  // area of the interfaces: sum of |grad phi| / (2 phi*), where -phi* and phi* are the values of
                       // the two phases in equilibrium; 0 if no phases can separate
  std::int64_t bad_site = -1;  // index of the first site with a density, phi or velocity that is not finite; -1: none
  /// Mean of phi^2 minus the square of the mean of phi.
  double phi_variance(const Extents& e) const;
};
/// Computes the statistics with OpenMP. Throws std::invalid_argument if the extents of the state are not the problem's.
Statistics statistics(const Problem& problem, const State& state);

/// The fields of a state that can be observed: density minus 1, velocity and phi of every site, in the order of
/// Extents::at(). velocity[3 * site + d] includes half of the force.
struct Fields {
  std::vector<double> density, velocity, phi;
};
/// Throws std::invalid_argument if the extents of the state are not the problem's.
Fields fields(const Problem& problem, const State& state);

struct SiteSums;
/// Statistics from the sums over all sites.
Statistics statistics_of(const Problem& problem, const SiteSums& sums);

}  // namespace speedwell::binary_fluid

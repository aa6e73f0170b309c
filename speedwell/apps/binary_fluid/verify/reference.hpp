// The oracle: the model written out from its equations, site by site, with all nineteen modes. Slow. Sites are divided
// among all threads; the result does not depend on how.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid::reference {

using Populations = std::array<double, velocities>;

/// Derivatives of phi and of its Laplacian at a site.
struct Derivatives {
  std::array<double, 3> gradient{};
  double laplacian = 0;
  std::array<double, 3> gradient_of_laplacian{};
  double laplacian_of_laplacian = 0;
};

/// Collides both distributions of one site. f is the full distribution, not its difference from the weights.
void collide(const Fluid& fluid, const Scheme& scheme, const Derivatives& d, Populations& f, Populations& g);

/// Chemical potential and pressure tensor (xx, xy, xz, yy, yz, zz) of the free energy alone.
double chemical_potential(const FreeEnergy& e, double phi, const Derivatives& d);
std::array<double, 6> pressure(const FreeEnergy& e, double phi, const Derivatives& d);

/// phi of every site, and the derivatives of phi.
core::LargeVector<double> order_parameter(const State& state);
core::LargeVector<Derivatives> derivatives(const Problem& problem, const core::LargeVector<double>& phi);

/// Takes problem.steps steps. Throws as require_valid() and require_admissible().
void advance(const Problem& problem, State& state);

}  // namespace speedwell::binary_fluid::reference

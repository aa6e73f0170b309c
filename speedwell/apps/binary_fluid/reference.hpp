// The oracle: the model spelt out from its equations, site by site, with all nineteen modes. Slow, and of nothing but
// the problem and its state. Sites are shared out among all threads; the bits do not depend on how.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid::reference {

using Populations = std::array<double, velocities>;

/// Derivatives of phi at a site, and of its Laplacian.
struct Derivatives {
  std::array<double, 3> gradient{};
  double laplacian = 0;
  std::array<double, 3> gradient_of_laplacian{};
  double laplacian_of_laplacian = 0;
};

/// Both distributions of one site (f whole, not what differs from the weights) after a collision.
void collide(const Fluid& fluid, const Scheme& scheme, const Derivatives& d, Populations& f, Populations& g);

/// Chemical potential and pressure tensor (xx, xy, xz, yy, yz, zz) of the free energy alone.
double chemical_potential(const FreeEnergy& e, double phi, const Derivatives& d);
std::array<double, 6> pressure(const FreeEnergy& e, double phi, const Derivatives& d);

/// phi of every site, and its derivatives.
std::vector<double> order_parameter(const State& state);
std::vector<Derivatives> derivatives(const Problem& problem, const std::vector<double>& phi);

/// Takes problem.steps steps. Throws as require_valid() and require_admissible().
void advance(const Problem& problem, State& state);

}  // namespace speedwell::binary_fluid::reference

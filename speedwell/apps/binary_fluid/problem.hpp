// Binary fluid by lattice Boltzmann: D3Q19 with two distributions, f of mass and momentum and g of the order parameter
// phi, as in Ludwig (Desplat, Pagonabarraga, Bladon, CPC 134 (2001) 273). Lattice units: sites and steps are 1 apart,
// the reference density is 1, the speed of sound squared 1/3. This file has the problem and its state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/core/large_vector.hpp"

namespace speedwell::binary_fluid {

/// Sites along x, y and z; x is contiguous in memory.
struct Extents {
  std::int64_t nx = 64, ny = 64, nz = 64;
  std::int64_t sites() const { return nx * ny * nz; }
  std::int64_t extent(int d) const { return d == 0 ? nx : d == 1 ? ny : nz; }
  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + nx * (j + ny * k));
  }
  bool operator==(const Extents&) const = default;
};

/// Free energy density a/2 phi^2 + b/4 phi^4 + kappa/2 |grad phi|^2 + c/2 (lap phi)^2. The last term is Brazovskii's
/// alone.
struct FreeEnergy {
  enum class Kind { symmetric, brazovskii } kind = Kind::symmetric;
  double a = -0.0625, b = 0.0625, kappa = 0.04, c = 0;
};

/// Properties of the fluid, in lattice units.
struct Fluid {
  FreeEnergy energy;
  double mobility = 0.45;         // M of d phi / dt + div(phi u) = M lap mu, with either OrderParameter
  double viscosity = 0.1;         // shear viscosity eta; at 1/6 the stress relaxes in one step
  double bulk_viscosity = 0;      // bulk viscosity zeta; 0: equal to the shear viscosity
  std::array<double, 3> force{};  // force on every site
  double zeta() const { return bulk_viscosity > 0 ? bulk_viscosity : viscosity; }
};

/// How the ghost modes of f relax: those of its 19 moments that are not density, momentum or stress.
enum class Collision {
  m10,  // in one step, so that the ten other moments represent f
  trt,  // two relaxation times: walls are half-way between sites for any viscosity
  bgk,  // at the rate of the shear stress
};
/// The collision of g: its flux relaxes, at a rate that sets the mobility (Stratford et al., J. Stat. Phys. 121 (2005)
/// 163), or is set to phi u, and the mobility is a factor of mu in the second moment (Kendon et al., J. Fluid Mech. 440
/// (2001) 147).
enum class OrderParameter { relaxed, projected };
/// The number of points of the stencil for differences of phi.
enum class Stencil { seven, twenty_seven };

struct Scheme {
  Collision collision = Collision::m10;
  OrderParameter order_parameter = OrderParameter::relaxed;
  Stencil stencil = Stencil::twenty_seven;
};

/// The boundaries of an axis: periodic, or walls half a site outside of the last sites, which may move tangentially.
struct Axis {
  bool walls = false;
  std::array<std::array<double, 3>, 2> velocity{};  // velocity of the wall at the low and at the high end
};

/// What is computed: `steps` time steps of a fluid in a box.
struct Problem {
  Extents extents;
  Fluid fluid;
  Scheme scheme;
  std::array<Axis, 3> axes;
  int steps = 10;
};

/// Equilibrium of two phases with the symmetric free energy: |phi| in either, sqrt(-a/b); the thickness of the
/// interface, sqrt(-2 kappa/a); and its tension, sqrt(-8 kappa a^3 / (9 b^2)). NaN if a >= 0.
double bulk_phi(const FreeEnergy& e);
double interface_width(const FreeEnergy& e);
double interface_tension(const FreeEnergy& e);

/// A step multiplies waves of phi with a period of two sites by 1 - 2 x, where x is the stability number: above 1 they
/// grow until the state is not finite. It is f (a' + lambda kappa + lambda^2 c), where f is 1 (relaxed) or 2 M
/// (projected), a' is a + 3 b phi^2 of the phases, or a if there are none, and lambda is that of the stencil's -lap: 4
/// for waves along one axis; for waves along two, 8 (7 points) or 8/3 (27 points). The largest x of the box is
/// returned, 0 for one site. Axes are taken to have such waves, although the shortest of an odd number of sites is
/// longer.
double stability_number(const Problem& problem);

/// Throws std::invalid_argument, with the value and what is allowed, for a problem that cannot be computed.
void require_valid(const Problem& problem);
/// One sentence for each value that is allowed but doubtful. `uniform`: the order parameter is the same everywhere, so
/// that there is no interface.
std::vector<std::string> warnings(const Problem& problem, bool uniform = false);

/// The number of discrete velocities, and so of populations of f and of g at a site.
constexpr int velocities = 19;

/// Both distributions after propagation. f is stored as f_p - w_p, its difference from the weights, which is small;
/// adding the weights would lose digits. Population p of site s = extents.at(i, j, k) is at p * sites + s.
struct State {
  Extents extents;
  core::LargeVector<double> f, g;
  std::int64_t step = 0;
};

/// Whether a state has the extents of the problem, and f and g have velocities * sites values each.
bool has_extents(const Problem& problem, const State& state);
/// Throws std::invalid_argument unless has_extents().
void require_extents(const Problem& problem, const State& state);

/// Throws std::invalid_argument for a state of other extents or with values that are not finite.
void require_admissible(const Problem& problem, const State& state);

/// The coordinates of a site as text: "(3,4,5)".
std::string coordinates(const Extents& e, std::int64_t site);

}  // namespace speedwell::binary_fluid

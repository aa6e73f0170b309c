// Binary fluid by lattice Boltzmann: D3Q19 with two distributions, f of mass and momentum and g of the order parameter
// phi, as in Ludwig (Desplat, Pagonabarraga, Bladon, CPC 134 (2001) 273). Lattice units: sites and steps are 1 apart,
// the reference density is 1, the speed of sound squared 1/3. What the problem is, and the state that is advanced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

/// Free energy density a/2 phi^2 + b/4 phi^4 + kappa/2 |grad phi|^2 + c/2 (lap phi)^2, the last in Brazovskii's alone.
struct FreeEnergy {
  enum class Kind { symmetric, brazovskii } kind = Kind::symmetric;
  double a = -0.0625, b = 0.0625, kappa = 0.04, c = 0;
};

struct Fluid {
  FreeEnergy energy;
  double mobility = 0.45;         // of the order parameter, M
  double viscosity = 0.1;         // shear viscosity eta; at 1/6 the stress keeps nothing of what it was
  double bulk_viscosity = 0;      // zeta; 0: that of shear
  std::array<double, 3> force{};  // on every site
  double zeta() const { return bulk_viscosity > 0 ? bulk_viscosity : viscosity; }
};

/// How the modes of f beyond the stress relax.
enum class Collision {
  m10,  // at once: the ten moments are all that is left of f
  trt,  // two relaxation times: walls stand half-way between sites for any viscosity
  bgk,  // all modes at the rate of the shear stress
};
/// The collision of g: its flux relaxes (J. Stat. Phys. 121 (2005) 163) or is set to phi u (JFM 440 (2001) 147).
enum class OrderParameter { relaxed, projected };
/// Points of the differences of phi.
enum class Stencil { seven, twenty_seven };

struct Scheme {
  Collision collision = Collision::m10;
  OrderParameter order_parameter = OrderParameter::relaxed;
  Stencil stencil = Stencil::twenty_seven;
};

/// What lies at both ends of an axis: the other end, or walls half a site beyond the last sites, which move along
/// themselves.
struct Axis {
  bool walls = false;
  std::array<std::array<double, 3>, 2> velocity{};  // of the wall at the low and at the high end
};

struct Problem {
  Extents extents;
  Fluid fluid;
  Scheme scheme;
  std::array<Axis, 3> axes;
  int steps = 10;
};

/// phi of the two phases, sqrt(-a/b), thickness of the interface, sqrt(-2 kappa/a), and its tension
/// sqrt(-8 kappa a^3 / (9 b^2)), of the symmetric free energy. NaN where a >= 0.
double bulk_phi(const FreeEnergy& e);
double interface_width(const FreeEnergy& e);
double interface_tension(const FreeEnergy& e);

/// Throws std::invalid_argument naming the value and what is allowed.
void require_valid(const Problem& problem);
/// What is allowed and yet doubtful: a sentence each. uniform: the order parameter is the same everywhere, so that
/// there is no interface.
std::vector<std::string> warnings(const Problem& problem, bool uniform = false);

constexpr int velocities = 19;

/// Both distributions after propagation. Of f what differs from the weights is kept, f_p - w_p: it is small, and a
/// rounded sum of the two could not be taken apart again. Population p of site s is at p * sites + s.
struct State {
  Extents extents;
  std::vector<double> f, g;
  std::int64_t step = 0;
};

/// Throws std::invalid_argument for a state of other extents, or that is not finite somewhere.
void require_admissible(const Problem& problem, const State& state);

/// "(3,4,5)".
std::string place(const Extents& e, std::int64_t site);

}  // namespace speedwell::binary_fluid

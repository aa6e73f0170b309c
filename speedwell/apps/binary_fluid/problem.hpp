// Binary fluid by lattice Boltzmann: D3Q19 with two distributions, f of mass and momentum and g of the order parameter
// phi, as in Ludwig (Desplat, Pagonabarraga, Bladon, CPC 134 (2001) 273). Lattice units: sites and steps are 1 apart,
// the reference density is 1, the speed of sound squared 1/3. This file has the problem and its state.
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
  double mobility = 0.45;         // mobility M of the order parameter
  double viscosity = 0.1;         // shear viscosity eta; at 1/6 the stress relaxes at once
  double bulk_viscosity = 0;      // bulk viscosity zeta; 0: equal to the shear viscosity
  std::array<double, 3> force{};  // force on every site
  double zeta() const { return bulk_viscosity > 0 ? bulk_viscosity : viscosity; }
};

/// How the ghost modes of f relax.
enum class Collision {
  m10,  // at once, so that ten moments represent f
  trt,  // two relaxation times: walls are half-way between sites for any viscosity
  bgk,  // all at the rate of the shear stress
};
/// The collision of g: its flux relaxes (J. Stat. Phys. 121 (2005) 163) or is set to phi u (JFM 440 (2001) 147).
enum class OrderParameter { relaxed, projected };
/// Points of the stencil for differences of phi.
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
/// One sentence for each value that is allowed but doubtful. `uniform`: the order parameter is the same everywhere, so
/// that there is no interface.
std::vector<std::string> warnings(const Problem& problem, bool uniform = false);

constexpr int velocities = 19;

/// Both distributions after propagation. f is stored as f_p - w_p, its difference from the weights, which is small;
/// adding the weights would lose digits. Population p of site s is at p * sites + s.
struct State {
  Extents extents;
  std::vector<double> f, g;
  std::int64_t step = 0;
};

/// Whether a state has the extents of a problem, and as many values.
bool has_extents(const Problem& problem, const State& state);
/// Throws std::invalid_argument if it has not.
void require_extents(const Problem& problem, const State& state);

/// Throws std::invalid_argument for a state of other extents or with values that are not finite.
void require_admissible(const Problem& problem, const State& state);

/// The coordinates of a site as text: "(3,4,5)".
std::string coordinates(const Extents& e, std::int64_t site);

}  // namespace speedwell::binary_fluid

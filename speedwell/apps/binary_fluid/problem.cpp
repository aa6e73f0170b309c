#include "speedwell/apps/binary_fluid/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace speedwell::binary_fluid {
namespace {

// `value` with at most six significant digits.
std::string text(double value) { return fmt::format("{:g}", value); }

void require(bool holds, const std::string& name, double value, const std::string& allowed) {
  if (!holds) throw std::invalid_argument("binary_fluid: " + name + " is " + text(value) + "; allowed: " + allowed);
}

constexpr double sound_speed = 0.57735026918962576;  // 1 / sqrt(3)
// Compressibility errors of lattice Boltzmann methods grow with Mach^2; 0.3 is the usual limit.
constexpr double max_mach = 0.3;

}  // namespace

double bulk_phi(const FreeEnergy& e) { return std::sqrt(-e.a / e.b); }
double interface_width(const FreeEnergy& e) { return std::sqrt(-2 * e.kappa / e.a); }
double interface_tension(const FreeEnergy& e) { return std::sqrt(-8 * e.kappa * e.a * e.a * e.a / (9 * e.b * e.b)); }

double stability_number(const Problem& p) {
  const FreeEnergy& e = p.fluid.energy;
  const bool phases = e.kind == FreeEnergy::Kind::symmetric && e.a < 0;
  const double slope = phases ? -2 * e.a : e.a;  // a + 3 b phi^2
  const double factor = p.scheme.order_parameter == OrderParameter::relaxed ? 1 : 2 * p.fluid.mobility;
  int axes = 0;
  for (int d = 0; d < 3; ++d) axes += p.extents.extent(d) > 1 ? 1 : 0;
  const auto of_waves = [&](double lambda) { return factor * (slope + lambda * e.kappa + lambda * lambda * e.c); };
  if (axes == 0) return 0;
  if (axes == 1) return of_waves(4);
  return std::max(of_waves(4), of_waves(p.scheme.stencil == Stencil::seven ? 8 : 8.0 / 3));
}

void require_valid(const Problem& p) {
  const Extents& e = p.extents;
  const char* const names[] = {"nx", "ny", "nz"};
  // Products of two extents are computed in 32 bits, so that an extent is at most 2^15. Periodic axes of 2 sites are
  // excluded, as both neighbours of a site would be the same site.
  for (int d = 0; d < 3; ++d) {
    const auto n = static_cast<double>(e.extent(d));
    if (p.axes[static_cast<std::size_t>(d)].walls)
      require(n >= 2 && n <= 32768, names[d], n, "2 to 32768 sites between walls");
    else
      require(n == 1 || (n >= 3 && n <= 32768), names[d], n, "1 (nothing varies along this axis) or 3 to 32768 sites");
  }
  // GPU kernels index sites with 32-bit integers.
  require(e.sites() < std::int64_t{1} << 31, "nx ny nz", static_cast<double>(e.sites()), "fewer than 2^31 sites");
  require(p.steps >= 1, "steps", p.steps, "1 and above");
  const FreeEnergy& psi = p.fluid.energy;
  require(std::isfinite(psi.a), "a", psi.a, "a finite number");
  require(psi.b > 0 && std::isfinite(psi.b), "b", psi.b, "above 0");
  if (psi.kind == FreeEnergy::Kind::symmetric) {
    require(psi.kappa > 0 && std::isfinite(psi.kappa), "kappa", psi.kappa, "above 0 in the symmetric free energy");
    require(psi.c == 0, "c", psi.c, "0 in the symmetric free energy");
    if (psi.a < 0)
      require(interface_width(psi) >= 1, "the interface width sqrt(-2 kappa / a)", interface_width(psi),
              "1 site and above");
  } else {
    require(std::isfinite(psi.kappa), "kappa", psi.kappa, "a finite number");
    require(psi.c > 0 && std::isfinite(psi.c), "c", psi.c, "above 0 in Brazovskii's free energy");
  }
  require(p.fluid.mobility > 0 && std::isfinite(p.fluid.mobility), "mobility", p.fluid.mobility, "above 0");
  require(p.fluid.viscosity > 0 && std::isfinite(p.fluid.viscosity), "viscosity", p.fluid.viscosity,
          "above 0, so that the relaxation time is above 1/2");
  require(p.fluid.bulk_viscosity >= 0 && std::isfinite(p.fluid.bulk_viscosity), "bulk_viscosity",
          p.fluid.bulk_viscosity, "0 (equal to the shear viscosity) and above");
  if (p.scheme.collision == Collision::bgk)
    require(p.fluid.zeta() == p.fluid.viscosity, "bulk_viscosity", p.fluid.bulk_viscosity,
            "the shear viscosity with the collision bgk, which has one relaxation rate");
  double force = 0;
  for (const double component : p.fluid.force) force += component * component;
  // The velocity of a site includes half of the force.
  require(std::sqrt(force) / 2 <= max_mach * sound_speed, "the force", std::sqrt(force), "0 to 0.346 (Mach 0.3)");
  for (std::size_t d = 0; d < 3; ++d)
    for (const auto& velocity : p.axes[d].velocity) {
      double speed = 0;
      for (const double component : velocity) speed += component * component;
      require(std::sqrt(speed) <= max_mach * sound_speed, "the speed of a wall", std::sqrt(speed),
              "0 to 0.173 (Mach 0.3)");
      require(velocity[d] == 0, "the velocity of a wall along its normal", velocity[d], "0");
      require(speed == 0 || p.axes[d].walls, "the velocity of a wall on a periodic axis", std::sqrt(speed), "0");
    }
}

std::vector<std::string> warnings(const Problem& p, bool uniform) {
  std::vector<std::string> result;
  if (uniform) return result;
  const FreeEnergy& psi = p.fluid.energy;
  if (psi.kind == FreeEnergy::Kind::symmetric && psi.a >= 0)
    result.push_back("with a = " + text(psi.a) + ", which is not negative, the fluids mix");
  // The tension of a flat interface is 13 % too low for a width of 1.13 sites, and 5 % for 1.6 (physics_test.cpp).
  if (psi.kind == FreeEnergy::Kind::symmetric && psi.a < 0 && interface_width(psi) < 1.5)
    result.push_back("an interface " + text(interface_width(psi)) +
                     " sites wide is resolved poorly: the errors of its tension and profile are about 10 %");
  if (const double number = stability_number(p); number > 1)
    result.push_back("waves of phi with a period of two sites are multiplied by " + text(1 - 2 * number) +
                     " in each step" +
                     (p.scheme.order_parameter == OrderParameter::projected
                          ? ": with 'projected' they decay up to a mobility of " + text(p.fluid.mobility / number)
                          : ": the free energy is too stiff for the scheme 'relaxed'"));
  return result;
}

std::string coordinates(const Extents& e, std::int64_t s) {
  return "(" + std::to_string(s % e.nx) + "," + std::to_string(s / e.nx % e.ny) + "," +
         std::to_string(s / e.nx / e.ny) + ")";
}

bool has_extents(const Problem& problem, const State& state) {
  const auto values = static_cast<std::size_t>(velocities * problem.extents.sites());
  return state.extents == problem.extents && state.f.size() == values && state.g.size() == values;
}

void require_extents(const Problem& problem, const State& state) {
  if (!has_extents(problem, state))
    throw std::invalid_argument("binary_fluid: the state does not have the extents of the problem");
}

void require_admissible(const Problem& p, const State& s) {
  const auto n = static_cast<std::size_t>(p.extents.sites());
  if (!has_extents(p, s))
    throw std::invalid_argument("binary_fluid: the state has " + std::to_string(s.f.size()) + " and " +
                                std::to_string(s.g.size()) + " populations; the problem has " + std::to_string(n) +
                                " sites with " + std::to_string(velocities) + " each");
  for (const auto* values : {&s.f, &s.g})
    for (std::size_t at = 0; at < values->size(); ++at)
      if (!std::isfinite((*values)[at]))
        throw std::invalid_argument("binary_fluid: a population is not finite at site " +
                                    coordinates(p.extents, static_cast<std::int64_t>(at % n)));
}

}  // namespace speedwell::binary_fluid

#include "speedwell/apps/binary_fluid/problem.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace speedwell::binary_fluid {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

void require(bool holds, const std::string& name, double value, const std::string& allowed) {
  if (!holds) throw std::invalid_argument("binary_fluid: " + name + " is " + text(value) + "; allowed is " + allowed);
}

constexpr double sound = 0.57735026918962576;  // 1 / sqrt(3)

}  // namespace

double bulk_phi(const FreeEnergy& e) { return std::sqrt(-e.a / e.b); }
double interface_width(const FreeEnergy& e) { return std::sqrt(-2 * e.kappa / e.a); }
double interface_tension(const FreeEnergy& e) { return std::sqrt(-8 * e.kappa * e.a * e.a * e.a / (9 * e.b * e.b)); }

void require_valid(const Problem& p) {
  const Extents& e = p.extents;
  const char* const names[] = {"nx", "ny", "nz"};
  for (int d = 0; d < 3; ++d) {
    const auto n = static_cast<double>(e.extent(d));
    if (p.axes[static_cast<std::size_t>(d)].walls)
      require(n >= 2 && n <= 32768, names[d], n, "2 to 32768 sites between walls");
    else
      require(n == 1 || (n >= 3 && n <= 32768), names[d], n, "1 (nothing varies) or 3 to 32768 sites");
  }
  // Sites are counted in 32 bits on a GPU.
  require(e.sites() < std::int64_t{1} << 31, "nx ny nz", static_cast<double>(e.sites()), "fewer than 2^31 sites");
  require(p.steps >= 1, "steps", p.steps, "1 and above");
  const FreeEnergy& psi = p.fluid.energy;
  require(std::isfinite(psi.a), "a", psi.a, "a finite number");
  require(psi.b > 0 && std::isfinite(psi.b), "b", psi.b, "above 0");
  if (psi.kind == FreeEnergy::Kind::symmetric) {
    require(psi.kappa > 0 && std::isfinite(psi.kappa), "kappa", psi.kappa, "above 0 in the symmetric free energy");
    require(psi.c == 0, "c", psi.c, "0 in the symmetric free energy");
    if (psi.a < 0)
      require(interface_width(psi) >= 1, "the interface's width sqrt(-2 kappa / a)", interface_width(psi),
              "1 site and above");
  } else {
    require(std::isfinite(psi.kappa), "kappa", psi.kappa, "a finite number");
    require(psi.c > 0 && std::isfinite(psi.c), "c", psi.c, "above 0 in Brazovskii's free energy");
  }
  require(p.fluid.mobility > 0 && std::isfinite(p.fluid.mobility), "mobility", p.fluid.mobility, "above 0");
  require(p.fluid.viscosity > 0 && std::isfinite(p.fluid.viscosity), "viscosity", p.fluid.viscosity,
          "above 0 (a relaxation time above 1/2)");
  require(p.fluid.bulk_viscosity >= 0 && std::isfinite(p.fluid.bulk_viscosity), "bulk_viscosity",
          p.fluid.bulk_viscosity, "0 (that of shear) and above");
  if (p.scheme.collision == Collision::bgk)
    require(p.fluid.zeta() == p.fluid.viscosity, "bulk_viscosity", p.fluid.bulk_viscosity,
            "that of shear where all modes have one rate (bgk)");
  double force = 0;
  for (const double component : p.fluid.force) force += component * component;
  // A site at rest with a force F has the velocity F / 2.
  require(std::sqrt(force) / 2 <= 0.3 * sound, "the force", std::sqrt(force), "0 to 0.346 (Mach 0.3)");
  for (std::size_t d = 0; d < 3; ++d)
    for (const auto& velocity : p.axes[d].velocity) {
      double speed = 0;
      for (const double component : velocity) speed += component * component;
      require(std::sqrt(speed) <= 0.3 * sound, "a wall's speed", std::sqrt(speed), "0 to 0.173 (Mach 0.3)");
      require(velocity[d] == 0, "a wall's velocity across itself", velocity[d], "0");
      require(speed == 0 || p.axes[d].walls, "the velocity of a wall that is not there", std::sqrt(speed), "0");
    }
}

std::vector<std::string> warnings(const Problem& p, bool uniform) {
  std::vector<std::string> all;
  if (uniform) return all;
  const FreeEnergy& psi = p.fluid.energy;
  if (psi.kind == FreeEnergy::Kind::symmetric && psi.a >= 0)
    all.push_back("with a = " + text(psi.a) + " the fluids mix");
  if (psi.kind == FreeEnergy::Kind::symmetric && psi.a < 0 && interface_width(psi) < 1.5)
    all.push_back("an interface " + text(interface_width(psi)) +
                  " sites wide is coarse: tension and shape are some 10 % off");
  return all;
}

std::string coordinates(const Extents& e, std::int64_t s) {
  return "(" + std::to_string(s % e.nx) + "," + std::to_string(s / e.nx % e.ny) + "," +
         std::to_string(s / e.nx / e.ny) + ")";
}

void require_admissible(const Problem& p, const State& s) {
  const auto n = static_cast<std::size_t>(p.extents.sites());
  if (s.extents != p.extents || s.f.size() != velocities * n || s.g.size() != velocities * n)
    throw std::invalid_argument("binary_fluid: a state of " + std::to_string(s.f.size()) + " and " +
                                std::to_string(s.g.size()) + " values for " + std::to_string(n) + " sites of 19");
  for (const auto* values : {&s.f, &s.g})
    for (std::size_t at = 0; at < values->size(); ++at)
      if (!std::isfinite((*values)[at]))
        throw std::invalid_argument("binary_fluid: a distribution is not finite at site " +
                                    coordinates(p.extents, static_cast<std::int64_t>(at % n)));
}

}  // namespace speedwell::binary_fluid

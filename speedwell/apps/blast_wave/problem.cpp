#include "speedwell/apps/blast_wave/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/core/units.hpp"

namespace speedwell::blast_wave {
namespace {

std::string text(double value) { return fmt::format("{:g}", value); }

void require(bool holds, const std::string& name, double value, const std::string& allowed) {
  if (!holds) throw std::invalid_argument("blast_wave: " + name + " is " + text(value) + "; allowed: " + allowed);
}

}  // namespace

void require_valid(const Problem& p) {
  const Extents& e = p.extents;
  const char* const names[] = {"nx", "ny", "nz"};
  for (int d = 0; d < 3; ++d)
    require(e.extent(d) >= 5 && e.extent(d) <= 4096, names[d], static_cast<double>(e.extent(d)),
            "5 (fourth differences) to 4096 points");
  // Points and their five variables are counted in 32 bits on a GPU.
  require(e.points() <= (std::int64_t{1} << 31) / 5 - 64, "nx ny nz", static_cast<double>(e.points()),
          "fewer than 2^31 / 5 points");
  require(p.steps >= 1, "steps", p.steps, "1 and above");
  require(p.cfl > 0 && p.cfl <= 20, "cfl", p.cfl, "above 0 to 20");
  require(p.dt >= 0 && std::isfinite(p.dt), "dt", p.dt, "0 (by the CFL number) and above");
  require(p.max_squared_residual > 0 && std::isfinite(p.max_squared_residual), "tolerance", p.max_squared_residual,
          "above 0");
  require(p.max_iterations >= 1, "iterations", p.max_iterations, "1 and above");
  require(p.gas.reynolds > 0 && std::isfinite(p.gas.reynolds), "reynolds", p.gas.reynolds, "above 0");
  require(p.gas.prandtl > 0 && std::isfinite(p.gas.prandtl), "prandtl", p.gas.prandtl, "above 0");
  require(p.gas.gamma > 1 && std::isfinite(p.gas.gamma), "gamma", p.gas.gamma, "above 1");
  require(p.blast.pressure > 0 && std::isfinite(p.blast.pressure), "pressure_ratio", p.blast.pressure, "above 0");
  require(p.blast.density > 0 && std::isfinite(p.blast.density), "density_ratio", p.blast.density, "above 0");
  require(p.blast.width > 0 && std::isfinite(p.blast.width), "width", p.blast.width, "above 0");
  require(p.blast.radius >= 0 && p.blast.radius <= 0.5, "radius", p.blast.radius, "0 to 0.5");
  require(p.theta >= 0.5 && p.theta <= 1, "theta", p.theta, "0.5 to 1");
  require(p.kappa2 >= 0 && std::isfinite(p.kappa2), "kappa2", p.kappa2, "0 and above");
  require(p.kappa4 >= 0 && std::isfinite(p.kappa4), "kappa4", p.kappa4, "0 and above");
}

State blast(const Problem& p) {
  require_valid(p);
  const Extents& e = p.extents;
  const auto n = static_cast<std::size_t>(e.points());
  State s{e, std::vector<double>(5 * n, 0.0)};
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(e.nx) - 0.5,
                     y = static_cast<double>(j) / static_cast<double>(e.ny) - 0.5,
                     z = static_cast<double>(k) / static_cast<double>(e.nz) - 0.5;
        const double r = std::sqrt(x * x + y * y + z * z);
        const double inside = 0.5 * (1 - std::tanh((r - p.blast.radius) / p.blast.width));
        const double pressure = (1 + (p.blast.pressure - 1) * inside) / p.gas.gamma;
        const auto at = static_cast<std::size_t>(i + e.nx * (j + e.ny * k));
        s.q[at] = 1 + (p.blast.density - 1) * inside;
        s.q[4 * n + at] = pressure / (p.gas.gamma - 1);
      }
  return s;
}

void require_admissible(const Problem& p, const State& s) {
  const auto n = static_cast<std::size_t>(p.extents.points());
  if (s.extents != p.extents || s.q.size() != 5 * n)
    throw std::invalid_argument("blast_wave: a state of " + std::to_string(s.q.size()) + " values for " +
                                std::to_string(n) + " points of 5");
  for (std::size_t at = 0; at < n; ++at) {
    const double rho = s.q[at], u = s.q[n + at], v = s.q[2 * n + at], w = s.q[3 * n + at], energy = s.q[4 * n + at];
    const double pressure = (p.gas.gamma - 1) * (energy - (u * u + v * v + w * w) / (2 * rho));
    if (rho > 0 && pressure > 0 && std::isfinite(rho) && std::isfinite(pressure)) continue;
    const auto i = static_cast<std::int64_t>(at);
    throw std::invalid_argument("blast_wave: at point (" + std::to_string(i % p.extents.nx) + "," +
                                std::to_string(i / p.extents.nx % p.extents.ny) + "," +
                                std::to_string(i / p.extents.nx / p.extents.ny) + ") the density is " + text(rho) +
                                " and the pressure " + text(pressure) + "; both must be above 0");
  }
}

std::string to_string(StopReason stop_reason) {
  switch (stop_reason) {
    case StopReason::done:
      return "done";
    case StopReason::iteration_limit:
      return "BiCGSTAB did not reach the tolerance in the iterations allowed";
    case StopReason::breakdown:
      return "BiCGSTAB broke down: a division by zero";
    case StopReason::not_admissible:
      return "a density or pressure is not above 0, or not finite";
  }
  return "?";
}

std::int64_t History::iterations() const {
  std::int64_t sum = 0;
  for (const StepRecord& s : steps) sum += s.iterations;
  return sum;
}

std::string failure(const Problem& p, const History& h, std::int64_t steps_before) {
  if (h.stop_reason == StopReason::done) return {};
  std::string where = "step " + std::to_string(steps_before + static_cast<std::int64_t>(h.steps.size()));
  if (h.point >= 0)
    where += ", point (" + std::to_string(h.point % p.extents.nx) + "," +
             std::to_string(h.point / p.extents.nx % p.extents.ny) + "," +
             std::to_string(h.point / p.extents.nx / p.extents.ny) + "): density " + text(h.density) + ", pressure " +
             text(h.pressure);
  else if (!h.steps.empty())
    where += ", residual " + text(h.steps.back().residual) + " after " +
             core::counted(h.steps.back().iterations, "iteration");
  return where + ": " + to_string(h.stop_reason);
}

Totals totals(const Gas& gas, const State& s) {
  const auto n = static_cast<std::size_t>(s.extents.points());
  const auto plane = static_cast<std::size_t>(s.extents.nx * s.extents.ny);
  const auto planes = static_cast<std::int64_t>(s.extents.nz);
  std::vector<Totals> of_plane(static_cast<std::size_t>(planes));
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < planes; ++k) {
    Totals t;
    t.min_pressure = HUGE_VAL;
    for (std::size_t at = static_cast<std::size_t>(k) * plane; at < static_cast<std::size_t>(k + 1) * plane; ++at) {
      const double rho = s.q[at], m[] = {s.q[n + at], s.q[2 * n + at], s.q[3 * n + at]}, energy = s.q[4 * n + at];
      const double kinetic = (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) / (2 * rho);
      const double pressure = (gas.gamma - 1) * (energy - kinetic);
      t.mass += rho;
      for (int d = 0; d < 3; ++d) t.momentum[d] += m[d];
      t.energy += energy;
      t.kinetic += kinetic;
      t.entropy += rho * std::log(pressure / std::pow(rho, gas.gamma));
      t.min_pressure = std::min(t.min_pressure, pressure);
      t.largest_pressure = std::max(t.largest_pressure, pressure);
      t.largest_mach = std::max(t.largest_mach, std::sqrt(2 * kinetic / (gas.gamma * pressure)));
    }
    of_plane[static_cast<std::size_t>(k)] = t;
  }
  Totals sum;
  sum.min_pressure = HUGE_VAL;
  for (const Totals& t : of_plane) {
    sum.mass += t.mass;
    for (int d = 0; d < 3; ++d) sum.momentum[d] += t.momentum[d];
    sum.energy += t.energy;
    sum.kinetic += t.kinetic;
    sum.entropy += t.entropy;
    sum.min_pressure = std::min(sum.min_pressure, t.min_pressure);
    sum.largest_pressure = std::max(sum.largest_pressure, t.largest_pressure);
    sum.largest_mach = std::max(sum.largest_mach, t.largest_mach);
  }
  const auto points = static_cast<double>(n);
  for (double* value :
       {&sum.mass, &sum.momentum[0], &sum.momentum[1], &sum.momentum[2], &sum.energy, &sum.kinetic, &sum.entropy})
    *value /= points;
  return sum;
}

}  // namespace speedwell::blast_wave

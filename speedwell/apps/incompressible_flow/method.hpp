// Time integration.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace speedwell::incompressible_flow {

/// Three-stage Runge-Kutta schemes with a projection in every stage.
enum class Scheme {
  s3,  // two registers, stages of 1/2, 1/2 and 1 from the start of the step; second order, stable for CFL < 2
  w3,  // Wray's, third order in convection, stable for CFL < sqrt(3)
};
enum class Diffusion {
  explicit_steps,  // diffusion is explicit, as convection
  trapezoidal,     // half of diffusion is implicit: no limit on the time step
};

struct Method {
  Scheme scheme = Scheme::w3;
  Diffusion diffusion = Diffusion::explicit_steps;
};

/// Coefficients of one of the three stages: u* = base + dt (now N(u) + before N(u of the previous stage)); its duration
/// is `length` dt.
struct RungeKuttaCoefficients {
  double now, before, length;
};
/// Coefficients of Wray's scheme: P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96 (1991).
constexpr std::array<RungeKuttaCoefficients, 3> runge_kutta_coefficients(Scheme scheme) {
  if (scheme == Scheme::s3) return {{{0.5, 0, 0.5}, {0.5, 0, 0.5}, {1, 0, 1}}};
  return {{{8. / 15, 0, 8. / 15}, {5. / 12, -17. / 60, 2. / 15}, {3. / 4, -5. / 12, 1. / 3}}};
}
/// The times after the start of a step of dt at which its three stages end, preceded by 0.
constexpr std::array<double, 4> part_ends(Scheme scheme, double dt) {
  std::array<double, 4> ends{};
  const auto parts = runge_kutta_coefficients(scheme);
  for (std::size_t n = 0; n < parts.size(); ++n)
    ends[n + 1] = scheme == Scheme::s3 ? parts[n].length * dt : ends[n] + parts[n].length * dt;
  return ends;
}
/// The extent of the scheme's region of stability on the imaginary (convection) and the real axis (diffusion).
constexpr double max_cfl(Scheme scheme) { return scheme == Scheme::s3 ? 2.0 : 1.7320508075688772; }
constexpr double real_axis_limit(Scheme scheme) { return scheme == Scheme::s3 ? 2.0 : 2.5127453266183286; }

}  // namespace speedwell::incompressible_flow

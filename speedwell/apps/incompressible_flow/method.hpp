// How a flow is advanced in time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace speedwell::incompressible_flow {

/// Three-step Runge-Kutta schemes with a projection in every step.
enum class Scheme {
  s3,  // two registers, steps of 1/2, 1/2 and 1 from the beginning; second order, stable for CFL < 2
  w3,  // Wray's, third order in convection, stable for CFL < sqrt(3)
};
enum class Diffusion {
  explicit_steps,  // as convection
  trapezoidal,     // half of it at the end of each step: no bound on the step
};

struct Method {
  Scheme scheme = Scheme::w3;
  Diffusion diffusion = Diffusion::explicit_steps;
};

/// One of the three steps: u* = base + dt (now N(u) + before N(u before)); its length in time is `length` dt.
struct Substep {
  double now, before, length;
};
/// Coefficients of Wray's scheme: P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96 (1991).
constexpr std::array<Substep, 3> substeps(Scheme scheme) {
  if (scheme == Scheme::s3) return {{{0.5, 0, 0.5}, {0.5, 0, 0.5}, {1, 0, 1}}};
  return {{{8. / 15, 0, 8. / 15}, {5. / 12, -17. / 60, 2. / 15}, {3. / 4, -5. / 12, 1. / 3}}};
}
/// How long after a step of dt begins its three parts end; before that 0.
constexpr std::array<double, 4> part_ends(Scheme scheme, double dt) {
  std::array<double, 4> ends{};
  const auto parts = substeps(scheme);
  for (std::size_t n = 0; n < parts.size(); ++n)
    ends[n + 1] = scheme == Scheme::s3 ? parts[n].length * dt : ends[n] + parts[n].length * dt;
  return ends;
}
/// The largest |y| (convection) and |x| (diffusion) of the scheme's region of stability on either axis.
constexpr double max_cfl(Scheme scheme) { return scheme == Scheme::s3 ? 2.0 : 1.7320508075688772; }
constexpr double max_decay(Scheme scheme) { return scheme == Scheme::s3 ? 2.0 : 2.5127453266183286; }

}  // namespace speedwell::incompressible_flow

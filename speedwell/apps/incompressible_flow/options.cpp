// Checks of solver options, memory estimates and time steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::incompressible_flow {

void require_valid(const Options& o) {
  if (o.tolerance != 0 && !(o.tolerance >= 1e-15 && o.tolerance < 1))
    throw std::invalid_argument("a tolerance of " + fmt::format("{:g}", o.tolerance) + ": from 1e-15 to below 1, or 0");
  if (o.max_iterations < 1)
    throw std::invalid_argument(std::to_string(o.max_iterations) + " iterations at most: at least 1");
  core::resolve_threads(o.threads);
}

double solver_bytes(const Problem& problem, const Options& options, std::size_t element) {
  require_valid(problem);
  const Choice choice = choose(problem, options.pressure);
  const Extents e = problem.extents();
  const double cells = static_cast<double>(e.cells());
  // Velocities, the next ones and rates; for S3 also those at the start of the step; pressure; right-hand sides and
  // spectrum; vectors.
  double fields = 9 + (options.method.scheme == Scheme::s3 ? 3 : 0) + 1;
  if (choice.pressure == Pressure::direct || choice.preconditioned) fields += 2;
  double modes = 0;
  if (choice.by_modes)
    for (const int d : {0, 1}) {
      const double n = e.extent(choice.order[static_cast<std::size_t>(d)]);
      modes += n * n * (4 * static_cast<double>(element) + 5 * 8);  // and in double precision while they are computed
    }
  if (choice.pressure == Pressure::conjugate_gradients) fields += 9;
  if (options.method.diffusion == Diffusion::trapezoidal) fields += 5;
  if (!problem.solid.empty()) fields += 3;
  const double padded = (e.nx + 16.0) * (e.ny + 2.0) * (e.nz + 2.0);
  return fields * std::max(cells, padded) * static_cast<double>(element) + modes;
}

double stable_step(const Problem& problem, const Method& method, double cfl, double convection_rate) {
  if (!(cfl > 0) || !(cfl < max_cfl(method.scheme)))
    throw std::invalid_argument("CFL " + fmt::format("{:g}", cfl) + ": above 0 and below " +
                                fmt::format("{:g}", max_cfl(method.scheme)) + ", where the scheme is stable");
  double step = cfl / convection_rate;
  if (method.diffusion == Diffusion::explicit_steps && problem.viscosity > 0) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const auto& f = problem.faces[static_cast<std::size_t>(d)];
      if (f.size() < 3) continue;
      double min_width = f[1] - f[0];
      for (std::size_t i = 2; i < f.size(); ++i) min_width = std::min(min_width, f[i] - f[i - 1]);
      // The bound for a tangential velocity at half a cell from a wall: at most 4 / width^2.
      sum += 4 / (min_width * min_width);
    }
    if (sum > 0) step = std::min(step, 0.9 * real_axis_limit(method.scheme) / (problem.viscosity * sum));
  }
  return step;
}

}  // namespace speedwell::incompressible_flow

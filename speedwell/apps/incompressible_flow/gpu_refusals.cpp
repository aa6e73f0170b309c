#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int most_gpu_cells = 65535;  // blocks along the third axis of a grid

}  // namespace

std::optional<std::string> refuses_on_gpu(const Problem& problem, const Options& options) {
  const Extents e = problem.extents();
  if (e.nx > most_gpu_cells || e.ny > most_gpu_cells || e.nz > most_gpu_cells)
    return "more than 65535 cells along an axis";
  if (!problem.solid.empty()) return "solids, which need conjugate gradients";
  if (choose(problem, options.pressure).pressure != Pressure::direct) return "conjugate gradients for the pressure";
  if (options.method.diffusion != Diffusion::explicit_steps) return "implicit diffusion";
  return std::nullopt;
}

double gpu_bytes(const Problem& problem, std::size_t element) {
  const Extents e = problem.extents();
  const double padded = (e.nx + 48.0) * (e.ny + 2.0) * (e.nz + 2.0);
  const double spectrum = 2.0 * (e.nx / 2 + 1.0) * e.ny * e.nz;
  // Flow as uploaded, flow, next and rates (or first): 12 with edges; right sides; the spectrum here and as the
  // transform's work space, and its tridiagonal systems.
  return (12 * padded + static_cast<double>(e.cells()) + 4 * spectrum) * static_cast<double>(element);
}

}  // namespace speedwell::incompressible_flow

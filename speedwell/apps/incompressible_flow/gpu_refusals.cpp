#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"

#include "speedwell/apps/incompressible_flow/metrics.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int most_gpu_cells = 65535;  // blocks along the third axis of a grid

}  // namespace

std::optional<std::string> refuses_on_gpu(const Problem& problem, const Options& options) {
  const Extents e = problem.extents();
  if (e.nx > most_gpu_cells || e.ny > most_gpu_cells || e.nz > most_gpu_cells)
    return "more than 65535 cells along an axis";
  if (problem.strain) return "a mesh that moves";
  if (options.method.diffusion != Diffusion::explicit_steps) return "implicit diffusion";
  return std::nullopt;
}

double gpu_bytes(const Problem& given, const Options& options, std::size_t element) {
  const Choice choice = choose(given, options.pressure);
  const Problem problem = reordered(given, choice.order);
  const Extents e = problem.extents();
  const double padded = (e.nx + 48.0) * (e.ny + 2.0) * (e.nz + 2.0);
  const double spectrum = 2.0 * (e.nx / 2 + 1.0) * e.ny * e.nz;
  // Flow as uploaded, flow, next and rates (or first): 12 with edges; right sides; the spectrum here and as the
  // transform's work space, and its tridiagonal systems.
  // Conjugate gradients: 5, the pressure as uploaded and, of the polynomial, the diagonal and what is scaled by it;
  // solids: 4.
  const bool gradients = choice.pressure == Pressure::conjugate_gradients, direct = !gradients || choice.preconditioned;
  const double fields =
      1 + (gradients ? 6 : 0) + (gradients && !choice.preconditioned ? 2 : 0) + (problem.solid.empty() ? 0 : 4);
  return (12 * padded + fields * static_cast<double>(e.cells()) + (direct ? 4 * spectrum : 0)) *
         static_cast<double>(element);
}

}  // namespace speedwell::incompressible_flow

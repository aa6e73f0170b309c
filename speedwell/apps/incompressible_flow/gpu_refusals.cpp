#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"

#include "speedwell/apps/incompressible_flow/linear_solvers/interface.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int max_gpu_cells = 65535;  // maximum of blocks along the third axis of a grid

}  // namespace

std::optional<std::string> refuses_on_gpu(const Problem& problem, const Options& options) {
  const Extents e = problem.extents();
  if (e.nx > max_gpu_cells || e.ny > max_gpu_cells || e.nz > max_gpu_cells)
    return "more than 65535 cells along an axis";
  if (problem.strain && options.method.diffusion == Diffusion::trapezoidal)
    return "implicit diffusion on a moving mesh";
  return std::nullopt;
}

std::optional<std::string> refuses_on_gpus(const Problem& problem, const Options& options) {
  if (const auto reason = refuses_on_gpu(problem, options)) return reason;
  const Choice choice = choose(problem, options.pressure);
  if (choice.pressure != Pressure::direct) return "conjugate gradients for the pressure";
  return std::nullopt;
}

double gpu_bytes(const Problem& given, const Options& options, std::size_t element) {
  const Choice choice = choose(given, options.pressure);
  const Problem problem = with_permuted_axes(given, choice.order);
  const Extents e = problem.extents();
  const double padded = (e.nx + 48.0) * (e.ny + 2.0) * (e.nz + 2.0);
  const double spectrum = 2.0 * (e.nx / 2 + 1.0) * e.ny * e.nz;
  // Flow as uploaded, flow, next and rates (or first): 12 with ghost cells; right-hand sides; the spectrum and the
  // transform's workspace, and the tridiagonal systems. Conjugate gradients: 5, the pressure as uploaded and, for the
  // polynomial, the diagonal and the scaled residual; solids: 4. Implicit diffusion: its own 3, the pressure, that as
  // uploaded and its right-hand side.
  const bool gradients = choice.pressure == Pressure::conjugate_gradients, direct = !gradients || choice.preconditioned;
  const bool implicit = options.method.diffusion == Diffusion::trapezoidal;
  const double fields = 1 + (gradients ? 5 : 0) + (implicit ? 5 : 0) + (gradients || implicit ? 1 : 0) +
                        (gradients && !choice.preconditioned ? 2 : 0) + (problem.solid.empty() ? 0 : 4);
  double bytes = (12 * padded + fields * static_cast<double>(e.cells()) + (direct ? 4 * spectrum : 0)) *
                 static_cast<double>(element);
  if (choice.by_modes)  // both matrices of each axis, and the workspace of cuBLAS
    bytes += 2 * (static_cast<double>(e.nx) * e.nx + static_cast<double>(e.ny) * e.ny) * static_cast<double>(element) +
             0x1p25;
  if (choice.preconditioned) {
    // Solids: right-hand sides and solutions, a direct solver in single precision if it is another, and the list.
    const double tolerance = options.tolerance > 0 ? options.tolerance : element == 8 ? 1e-10 : 1e-5;
    const bool quick = element == 4 || tolerance >= min_quick_tolerance;
    const Interface interface = interface_of(problem);
    bytes += 2 * static_cast<double>(e.cells()) * (quick ? 4 : 8) + (element == 8 && quick ? 16 * spectrum : 0);
    bytes += 68 * static_cast<double>(interface.cell.size()) + 16 * static_cast<double>(interface.to.size());
  }
  return bytes;
}

}  // namespace speedwell::incompressible_flow

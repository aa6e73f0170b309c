// Memory and tables of a solver on a GPU.
#include <stdexcept>
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/copied.hpp"
#include "speedwell/apps/incompressible_flow/gpu/gpu_solver_parts.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::incompressible_flow {
namespace {

Problem checked(const Problem& problem, const Options& options) {
  require_valid(problem);
  require_valid(options);
  if (const auto reason = refuses_on_gpu(problem, options)) throw std::invalid_argument("not on a GPU: " + *reason);
  return problem;
}

// Without cuBLAS a box that would need it uses conjugate gradients, unless the direct solver is requested.
Choice choice_here(const Problem& problem, Pressure wanted) {
  const Choice choice = choose(problem, wanted);
  if (!choice.by_modes) return choice;
  const auto missing = gpu::modes_missing();
  if (!missing) return choice;
  if (wanted == Pressure::direct)
    throw core::Unavailable("on a GPU the direct pressure solver of this mesh needs cuBLAS: " + *missing);
  Choice other = choose(problem, Pressure::conjugate_gradients);
  other.reason = "conjugate gradients with a polynomial preconditioner: eigenvectors need cuBLAS, " + *missing;
  return other;
}

}  // namespace

template <class T>
GpuSolver<T>::Parts::Parts(const Problem& given, const Options& o)
    : options(o),
      choice(choice_here(checked(given, o), o.pressure)),
      problem(with_permuted_axes(given, choice.order)),
      extents(problem.extents()),
      layout(extents, sizeof(T), 128),
      team(layout, core_threads(o), sizeof(T)) {
  shape = {{extents.nx, extents.ny, extents.nz},
           layout.row,
           layout.plane,
           {problem.periodic(0), problem.periodic(1), problem.periodic(2)}};
  for (std::size_t d = 0; d < 3; ++d) host_values.acceleration[d] = problem.acceleration[d];
}

template <class T>
void GpuSolver<T>::Parts::allocate() {
  const core::Stream stream;
  const double bytes = gpu_bytes(problem, options, sizeof(T));
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (bytes > static_cast<double>(free))
    throw core::Unavailable("a flow of " + core::format_bytes(bytes) + " on a GPU with " +
                            core::format_bytes(static_cast<double>(free)) + " free");
  allocate_mesh(stream);
  if (choice.by_modes)
    modes.emplace(problem, stream);
  else if (has_direct())
    direct.emplace(problem, stream);
  if (choice.pressure == Pressure::conjugate_gradients) allocate_solids(stream);
  if (trapezoidal()) allocate_trapezoidal();
  if (problem.strain) moving = {tables, direct->lambda_x, direct->lambda_y, direct->low, direct->high, stream};
  stream.synchronize();
}

template <class T>
void GpuSolver<T>::Parts::allocate_mesh(const core::Stream& stream) {
  for (int c = 0; c < 3; ++c) {
    given[c] = core::DeviceBuffer<T>(layout.size);
    rk_register[c] = core::DeviceBuffer<T>(layout.size);
    for (auto& set : fields) {
      set[c] = core::DeviceBuffer<T>(layout.size);
      core::fill_bytes_async(set[c], 0, stream);
    }
    core::fill_bytes_async(rk_register[c], 0, stream);
  }
  source = core::DeviceBuffer<T>(static_cast<std::size_t>(extents.cells()));
  core::fill_bytes_async(source, 0, stream);  // the pressure before the first step
  cells.emplace(shape);
  cells->clear(stream);
  largest = core::DeviceBuffer<double>(2);
  values = core::DeviceBuffer<gpu::StepValues>(1);
  for (int d = 0; d < 3; ++d) {
    const AxisTables<T> axis(problem, d);
    tables[d] = gpu::copied(axis.values, stream);
    metrics.axis[d] = axis.at(tables[d].data());
  }
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d)
      for (int s = 0; s < 2; ++s) {
        const Side& side = problem.sides[static_cast<std::size_t>(d)][static_cast<std::size_t>(s)];
        projection.ghosts[c][d][s] =
            side.edge == Edge::wall
                ? gpu::GhostCoefficients<T>{T(-1), static_cast<T>(2 * side.velocity[static_cast<std::size_t>(c)])}
                : gpu::GhostCoefficients<T>{T(1), T(0)};
      }
}

template <class T>
void GpuSolver<T>::Parts::allocate_solids(const core::Stream& stream) {
  const Metrics<T> host(problem);
  const MeshMetrics<T> m = host.mesh();
  const bool solids = !problem.solid.empty();
  std::vector<T> is_fluid(solids ? static_cast<std::size_t>(extents.cells()) : 0),
      inverse(choice.preconditioned ? 0 : static_cast<std::size_t>(extents.cells()));
  const auto fluid_at = [&](int i, int j, int k) {
    const int at[] = {i, j, k};
    int inside[3];
    for (int d = 0; d < 3; ++d) inside[d] = (at[d] + extents.extent(d)) % extents.extent(d);
    return solids && problem.solid[extents.at(inside[0], inside[1], inside[2])] ? T(0) : T(1);
  };
  fluid_cells = fluid_volume = 0;
  for (int k = 0; k < extents.nz; ++k)
    for (int j = 0; j < extents.ny; ++j)
      for (int i = 0; i < extents.nx; ++i) {
        const std::size_t n = extents.at(i, j, k);
        const T here = fluid_at(i, j, k), wx = m.axis[0].width[i], wy = m.axis[1].width[j], wz = m.axis[2].width[k];
        if (solids) is_fluid[n] = here;
        fluid_cells += static_cast<double>(here);
        fluid_volume += static_cast<double>(here * wx * wy * wz);
        if (inverse.empty()) continue;
        const T d =
            wy * wz * (m.axis[0].link[i] * fluid_at(i + 1, j, k) + m.axis[0].link[i - 1] * fluid_at(i - 1, j, k)) +
            wx * wz * (m.axis[1].link[j] * fluid_at(i, j + 1, k) + m.axis[1].link[j - 1] * fluid_at(i, j - 1, k)) +
            wx * wy * (m.axis[2].link[k] * fluid_at(i, j, k + 1) + m.axis[2].link[k - 1] * fluid_at(i, j, k - 1));
        inverse[n] = here != T(0) && d > 0 ? 1 / d : T(0);
      }
  if (!inverse.empty()) inverse_diagonal = gpu::copied(inverse, stream);
  if (!solids) return;
  fluid = gpu::copied(is_fluid, stream);
  for (int c = 0; c < 3; ++c) {
    wall_drag_of[c] = incompressible_flow::wall_drag<T>(problem, c);
    wall_drag[c] = gpu::copied(wall_drag_of[c], stream);
  }
}

template <class T>
void GpuSolver<T>::Parts::allocate_trapezoidal() {
  sum = core::DeviceBuffer<T>(source.size());
  right = core::DeviceBuffer<T>(source.size());
  trapezoid = gpu::Trapezoidal<T>{.shape = shape,
                                  .metrics = metrics,
                                  .values = values.data(),
                                  .viscosity = problem.viscosity,
                                  .fluid = fluid.size() > 0 ? fluid.data() : nullptr,
                                  .pressure = sum.data(),
                                  .right = right.data()};
}

template <class T>
void GpuSolver<T>::Parts::begin_diffusion(const core::Stream& stream) {
  typename gpu::DiffusionCg<T>::Settings settings{
      .shape = shape, .metrics = metrics, .wall_drag = {}, .ghosts = {}, .viscosity = problem.viscosity};
  for (int c = 0; c < 3; ++c) {
    settings.wall_drag[c] = wall_drag[c].size() > 0 ? wall_drag[c].data() : nullptr;
    for (int d = 0; d < 3; ++d)
      for (int side = 0; side < 2; ++side) settings.ghosts[c][d][side] = projection.ghosts[c][d][side];
  }
  diffusion.emplace(settings, stream);
}

// Recorded iterations belong to a stream.
template <class T>
void GpuSolver<T>::Parts::begin_gradients(const core::Stream& stream) {
  if (choice.preconditioned) {
    if constexpr (sizeof(T) == 4) {
      fp32_cg.emplace(problem, *direct, stream);
    } else if (tolerance() >= min_quick_tolerance) {
      fp32_direct.emplace(problem, stream);
      fp32_cg.emplace(problem, *fp32_direct, stream);
    } else {
      fp64_cg.emplace(problem, *direct, stream);
    }
  }
  gradients.emplace(
      typename gpu::PressureCg<T>::Settings{
          .shape = shape,
          .metrics = metrics,
          .fluid = fluid.size() > 0 ? fluid.data() : nullptr,
          .inverse_diagonal = inverse_diagonal.size() > 0 ? inverse_diagonal.data() : nullptr,
          .source = source.data(),
          .fluid_cells = fluid_cells,
          .fluid_volume = fluid_volume,
          .tolerance = tolerance(),
          .max_iterations = options.max_iterations,
          .solve_directly = [this](const core::Stream& on) { solve_directly(on); },
          .fp32_cg = fp32_cg ? &*fp32_cg : nullptr,
          .fp64_cg = fp64_cg ? &*fp64_cg : nullptr},
      stream);
}

#define SPEEDWELL_GPU_SOLVER_MEMORY(T)                                     \
  template GpuSolver<T>::Parts::Parts(const Problem&, const Options&);     \
  template void GpuSolver<T>::Parts::allocate();                           \
  template void GpuSolver<T>::Parts::begin_gradients(const core::Stream&); \
  template void GpuSolver<T>::Parts::begin_diffusion(const core::Stream&);
SPEEDWELL_GPU_SOLVER_MEMORY(float)
SPEEDWELL_GPU_SOLVER_MEMORY(double)
#undef SPEEDWELL_GPU_SOLVER_MEMORY

}  // namespace speedwell::incompressible_flow

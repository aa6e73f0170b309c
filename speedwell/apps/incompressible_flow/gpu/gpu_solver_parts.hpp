// The data of a solver on a GPU. For CUDA sources only.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/gpu/diffusion_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/direct.hpp"
#include "speedwell/apps/incompressible_flow/gpu/direct/modes.hpp"
#include "speedwell/apps/incompressible_flow/gpu/interface_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/gpu/measures.hpp"
#include "speedwell/apps/incompressible_flow/gpu/moving_mesh.hpp"
#include "speedwell/apps/incompressible_flow/gpu/pressure_cg.hpp"
#include "speedwell/apps/incompressible_flow/gpu/trapezoidal.hpp"
#include "speedwell/apps/incompressible_flow/gpu/values.hpp"
#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/core/cuda/cuda_graph.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow {

template <class T>
struct GpuSolver<T>::Parts {
  using Complex = std::complex<T>;
  using Velocity = core::DeviceBuffer<T>[3];

  Parts(const Problem& given, const Options& o);
  static int core_threads(const Options& o) { return o.threads > 0 ? o.threads : 1; }

  void allocate();
  void allocate_mesh(const core::Stream& stream);
  void allocate_solids(const core::Stream& stream);
  void allocate_trapezoidal();
  void begin_gradients(const core::Stream& stream);
  void begin_diffusion(const core::Stream& stream);
  void enqueue_step(int parity, const core::Stream& stream);
  void enqueue_part(int part, Velocity& u, Velocity& next, const core::Stream& stream);
  void solve_directly(const core::Stream& stream) {
    modes ? modes->solve(source.data(), source.data(), stream) : direct->solve(source.data(), source.data(), stream);
  }
  double tolerance() const { return options.tolerance > 0 ? options.tolerance : sizeof(T) == 8 ? 1e-10 : 1e-5; }
  void record(const core::Stream& stream);
  void update_mesh(const core::Stream& stream);
  void set_step(double dt, const core::Stream& stream);
  T* cell(core::DeviceBuffer<T>& field) { return field.data() + layout.origin; }
  /// The mean of the pressure in `source`, which states are without, of a solver without loops; waits.
  double mean_pressure(const core::Stream& stream) {
    const auto [integral, volume] = gpu::pressure_integral<T>(*cells, shape, metrics, source.data(), stream);
    return integral / volume;
  }
  /// The position in `source` of the pressure of a cell.
  std::size_t pressure_index(int i, int j, int k) const { return transform_index(problem, extents, i, j, k); }
  bool trapezoidal() const { return options.method.diffusion == Diffusion::trapezoidal; }
  /// Whether the host launches the loops of a step, which then starts from the pressure of the previous one.
  bool has_loops() const { return trapezoidal() || choice.pressure == Pressure::conjugate_gradients; }
  /// The pressure that the next step starts from.
  T* pressure() { return trapezoidal() ? sum.data() : gradients->pressure(); }
  const T* pressure() const { return trapezoidal() ? sum.data() : gradients->pressure(); }
  bool has_direct() const { return choice.pressure == Pressure::direct || choice.preconditioned; }
  bool is_open(int c, int i, int j, int k) const {
    const int at[] = {i, j, k};
    return (problem.periodic(c) || at[c] < extents.extent(c) - 1) &&
           (wall_drag_of[c].empty() || wall_drag_of[c][extents.at(i, j, k)] >= T(0));
  }

  Options options;
  Choice choice;
  Problem problem;  // with its axes in the order of the choice
  Extents extents;
  Layout layout;
  RowTeam team;
  gpu::Shape shape;

  std::optional<gpu::Direct<T>> direct;
  std::optional<gpu::Modes<T>> modes;  // instead of `direct`, without fast transforms
  core::DeviceBuffer<T> kept[3];       // by keep_velocity()
  core::DeviceBuffer<T> given[3], fields[2][3],
      rk_register[3];  // rk_register: rates, or the flow at the start of a step
  core::DeviceBuffer<T> source, tables[3];
  std::vector<T> wall_drag_of[3];  // empty without solids
  core::DeviceBuffer<T> wall_drag[3], fluid, inverse_diagonal, given_pressure;
  double fluid_cells = 0, fluid_volume = 0;
  // For solids: the direct solver of the iterations in single precision, unless that is the flow's precision.
  std::optional<gpu::Direct<float>> fp32_direct;
  std::optional<gpu::InterfaceCg<float>> fp32_cg;
  std::optional<gpu::InterfaceCg<double>> fp64_cg;
  std::optional<gpu::PressureCg<T>> gradients;
  core::DeviceBuffer<T> sum, right;  // with implicit diffusion: the pressure, and the right-hand side of its change
  std::optional<gpu::DiffusionCg<T>> diffusion;
  gpu::Trapezoidal<T> trapezoid;
  gpu::MovingMesh<T> moving;
  bool loops_by_host = numerics::loops_by_host();
  std::optional<gpu::Cells> cells;
  core::DeviceBuffer<double> largest;
  core::DeviceBuffer<gpu::StepValues> values;
  MeshMetrics<T> metrics;
  gpu::Projection<T> projection;
  core::Graph steps[2];  // from fields[0] to fields[1], and back
  cudaStream_t recorded_on = nullptr;
  int now = 0;  // index of the fields with the present flow
  double time = 0, given_time = 0;
  std::int64_t step = 0, given_step = 0;
  gpu::StepValues host_values{};
};

}  // namespace speedwell::incompressible_flow

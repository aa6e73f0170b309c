// GpuSolver: incompressible flow on a GPU, with buffers, upload, download, and steps that run on the device only.
//   GpuSolver<double> solver(problem);   // allocates
//   solver.upload(state, stream);  solver.run(dt, steps, stream);  solver.download(state, stream);
// For CUDA sources only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow {

/// A staggered velocity in device memory. Component c, in the axes of the problem, is on the faces behind the cells:
/// that of cell (i, j, k) is component[c][i * stride[0] + j * stride[1] + k * stride[2]]. One of the strides is 1.
template <class T>
struct DeviceVelocity {
  std::array<const T*, 3> component{};
  std::array<std::int64_t, 3> stride{};
};

/// The method of Solver in incompressible_flow.hpp, with its source, on one GPU, in T, which is float or double.
/// Lengths, times and velocities have the units of the problem. Results are bitwise reproducible, and differ from those
/// of Solver by rounding and, with conjugate gradients, by the tolerance.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. It has two flows, the present one and a saved one, which restore() returns to. One stream at a time may
/// use it. Streams are core::Stream, because steps are recorded as CUDA graphs, which the default stream does not
/// allow.
template <class T>
class GpuSolver {
 public:
  /// Allocates all memory on the current device; the flow is undefined. Options::threads are those of conversions to
  /// and from the layout on the device; 0: one. Throws std::invalid_argument for a problem or options that are not
  /// valid, or that refuses_on_gpu() names; core::Unavailable, with the bytes, if the device has less free memory, or
  /// if the direct pressure solver of the mesh needs cuBLAS and there is none; core::DeviceError.
  explicit GpuSolver(const Problem& problem, const Options& options = {});
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Copies a flow, its time and its step to the device as the present flow and the saved one, and waits for the first
  /// copy. The flow should have no divergence; velocities through closed faces are set to 0. Throws
  /// std::invalid_argument for a state of another mesh.
  void upload(const State<T>& state, const core::Stream& stream) {
    upload_saved(state, stream);
    restore(stream);
  }
  /// Copies a flow to the device as the saved one alone, and records a step as a graph if that was not done for this
  /// stream; waits. restore() must follow.
  void upload_saved(const State<T>& state, const core::Stream& stream);
  /// Enqueues a copy of the present flow to the saved one.
  void save(const core::Stream& stream);
  /// Enqueues a copy of the saved flow, its time and its step to the present one, for example to repeat a step with
  /// another dt.
  void restore(const core::Stream& stream);
  /// Copies the present flow to the host, and waits. Throws std::invalid_argument for a state of another mesh.
  void download(State<T>& state, const core::Stream& stream);

  /// Enqueues `steps` steps of dt, without waiting. Throws std::invalid_argument unless dt is above 0 and finite.
  /// Whether conjugate gradients converged is what pressure_iterations() and diffusion_iterations() say.
  void run(double dt, int steps, const core::Stream& stream);

  /// Sets the acceleration, along x, y and z, from the next run() on; by default it is the problem's.
  void set_acceleration(const std::array<double, 3>& acceleration);
  /// Sets the time of the flow, on which a moving mesh depends.
  void set_time(double time, const core::Stream& stream);
  /// The same as Solver::force(): the acceleration that was set, and that which kept bulk velocities, for which it
  /// waits.
  std::array<double, 3> force(const core::Stream& stream);
  /// The same as Solver::convection_rate(), in 1 / time; waits for the steps.
  double convection_rate(const core::Stream& stream);
  /// statistics_of() the present flow; waits for the steps.
  Statistics statistics(const core::Stream& stream);
  /// The same as Solver::values(); waits for the steps.
  std::vector<T> values(std::span<const CellValue> cells, const core::Stream& stream);
  /// Enqueues a copy of the present velocities for velocity_change(), in memory that the first call allocates. Throws
  /// core::DeviceError if the device has too little.
  void keep_velocity(const core::Stream& stream);
  /// How far the velocities are from those that keep_velocity() kept; waits for the steps. Throws std::logic_error if
  /// none were.
  VelocityChange velocity_change(const core::Stream& stream);
  /// The present velocity in device memory, valid until the next run(), restore() or upload().
  DeviceVelocity<T> device_velocity() const;

  /// Iterations of the pressure's conjugate gradients since the last call; waits for the steps. Throws
  /// core::DeviceError if some did not reach ||r|| <= tolerance ||b||; the flow is then not usable.
  int pressure_iterations(const core::Stream& stream);
  /// Iterations of implicit diffusion, as pressure_iterations().
  int diffusion_iterations(const core::Stream& stream);
  /// The number of solves with solids since the last call that ended because the curvature was not positive, after
  /// which iterations on the whole field followed; waits for the steps.
  int breakdowns(const core::Stream& stream);
  /// With `wanted`, the host controls the loop of conjugate gradients and waits after each iteration, instead of a
  /// graph with a conditional node, which compute-sanitizer does not support. The result has the same bits.
  void loop_by_host(bool wanted);

  /// The pressure solver and the order of axes, and why they were chosen.
  const Choice& choice() const;
  /// The automatic choices by name.
  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class GpuSolver<float>;
extern template class GpuSolver<double>;

}  // namespace speedwell::incompressible_flow

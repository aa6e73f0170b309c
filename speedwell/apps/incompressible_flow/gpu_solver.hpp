// GpuSolver: incompressible flow on a GPU, with buffers, upload, download, and steps that run on the device only.
//   GpuSolver<double> solver(problem);  solver.allocate();  solver.upload(state, stream);  solver.reset(stream);
//   solver.run(dt, steps, stream);  solver.download(state, stream);
// For CUDA sources only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class GpuSolver {
 public:
  /// Allocates no memory yet. Throws std::invalid_argument for a problem or options that are not valid, or that
  /// refuses_on_gpu() names.
  explicit GpuSolver(const Problem& problem, const Options& options = {});
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Allocates on the current device. Throws core::DeviceError, and core::Unavailable, with the bytes, if the device
  /// has less memory.
  void allocate();
  /// Copies the flow to the device, and records a step as a graph if that was not done for this stream. Waits.
  void upload(const State<T>& state, const core::Stream& stream);
  /// Enqueues a copy of the uploaded flow to the present one.
  void reset(const core::Stream& stream);
  /// Overwrites the present flow with 0xff bytes; reset() must follow.
  void poison(const core::Stream& stream);
  /// Enqueues `steps` steps of dt > 0.
  void run(double dt, int steps, const core::Stream& stream);
  /// Sets the acceleration from the next run() on; by default it is the problem's.
  void set_acceleration(const std::array<double, 3>& acceleration);
  /// Sets the time of the flow, on which a moving mesh depends.
  void set_time(double time, const core::Stream& stream);
  /// The same as Solver::force(): the acceleration that was set, and that which kept bulk velocities, for which it
  /// waits.
  std::array<double, 3> force(const core::Stream& stream);
  /// The same as Solver::convection_rate(); waits for the steps.
  double convection_rate(const core::Stream& stream);
  /// statistics_of() the present flow; waits for the steps.
  Statistics statistics(const core::Stream& stream);
  /// Enqueues a copy of the present flow to the one that reset() restores.
  void save(const core::Stream& stream);
  /// Iterations of the pressure's conjugate gradients since the last call; waits for the steps. Throws
  /// core::DeviceError if some did not converge; the flow is then not usable.
  int pressure_iterations(const core::Stream& stream);
  /// The number of solves with solids since the last call that ended because the curvature was not positive, after
  /// which iterations on the whole field followed; waits for the steps.
  int breakdowns(const core::Stream& stream);
  /// Iterations of implicit diffusion, as pressure_iterations().
  int diffusion_iterations(const core::Stream& stream);
  /// With `wanted`, the host controls the loop of conjugate gradients and waits after each iteration, instead of a
  /// graph with a conditional node, which compute-sanitizer does not support. The result has the same bits.
  void loop_by_host(bool wanted);
  /// Copies the present flow to the host, and waits.
  void download(State<T>& state, const core::Stream& stream);

  const Choice& choice() const;
  std::vector<std::pair<std::string, std::string>> choices() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class GpuSolver<float>;
extern template class GpuSolver<double>;

}  // namespace speedwell::incompressible_flow

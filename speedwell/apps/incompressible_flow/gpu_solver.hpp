// Incompressible flow on a GPU: buffers, upload and download, and steps that need nothing from the host. A C++ user
// constructs it too:
//   GpuSolver<double> solver(problem);  solver.allocate();  solver.upload(state, stream);  solver.reset(stream);
//   solver.run(dt, steps, stream);  solver.download(state, stream);
// Included by CUDA sources alone.
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
  /// Takes no memory yet. Throws std::invalid_argument for a problem or options that are not valid, and for what
  /// refuses_on_gpu() says.
  explicit GpuSolver(const Problem& problem, const Options& options = {});
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Takes the memory, on the current device. Throws core::DeviceError, and core::Unavailable naming the bytes where
  /// the device has fewer.
  void allocate();
  /// The flow to the device, and a step recorded as a graph if that was not done for this stream. Returns when the flow
  /// has arrived.
  void upload(const State<T>& state, const core::Stream& stream);
  /// Enqueues a copy of the uploaded flow to where steps change it.
  void reset(const core::Stream& stream);
  /// Overwrites the flow that steps change with 0xff; reset() comes after it.
  void poison(const core::Stream& stream);
  /// Enqueues `steps` steps of dt > 0.
  void run(double dt, int steps, const core::Stream& stream);
  /// From the next run() on; the problem's otherwise.
  void set_acceleration(const std::array<double, 3>& acceleration);
  /// The time at which the flow is: of a mesh that moves, what it is from then on.
  void set_time(double time, const core::Stream& stream);
  /// As Solver's, of the last step: what was set, and what kept bulk velocities, for which it waits.
  std::array<double, 3> force(const core::Stream& stream);
  /// As Solver's; waits for the steps.
  double convection_rate(const core::Stream& stream);
  /// As statistics_of(), of the flow as it is; waits for the steps.
  Statistics statistics(const core::Stream& stream);
  /// Enqueues a copy of the flow as it is to where upload() puts one: reset() comes back to it.
  void keep(const core::Stream& stream);
  /// Of the pressure's conjugate gradients since the last call; waits for the steps. Throws core::DeviceError if some
  /// did not converge; the flow is then lost.
  int pressure_iterations(const core::Stream& stream);
  /// Solves beside solids since the last call that ended for want of a direction of positive curvature, after which
  /// iterations of the whole field went on; waits for the steps.
  int breakdowns(const core::Stream& stream);
  /// Of implicit diffusion in the same way as pressure_iterations().
  int diffusion_iterations(const core::Stream& stream);
  /// The host waits after each iteration of conjugate gradients and decides on the next one, in place of a graph with a
  /// conditional node, which compute-sanitizer does not follow. The bits are the same.
  void loop_by_host(bool wanted);
  /// Returns when the flow has arrived.
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

// The blast wave on a GPU: buffers, the loop over steps, upload and download, once for the variants that need no host.
//   GpuSolver solver(problem, BlockSource::recomputed, stream);
//   solver.upload(state, stream);  solver.run(problem.steps, stream);  History h = solver.finish(state, stream);
#pragma once

#include <memory>

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::blast_wave {

class GpuSolver {
 public:
  /// Takes all memory, on the current device: gpu_bytes() of gpu_bytes.hpp. There is room for a history of
  /// `max_steps`. Throws std::invalid_argument for a problem that is not valid, core::Unavailable where the device has
  /// not so much memory free, core::DeviceError.
  GpuSolver(const Problem& problem, BlockSource blocks, int max_steps, const core::Stream& stream);
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// The state to the device, where reset() finds it. Throws as require_admissible().
  void upload(const State& state, const core::Stream& stream);
  /// Enqueues that the uploaded state is the present one, and that no step was taken.
  void reset(const core::Stream& stream);
  /// Overwrites the present state with 0xff bytes; reset() comes after it.
  void poison(const core::Stream& stream);
  /// Enqueues so many steps; the host waits for none of them. After a step that failed the rest do nothing.
  void run(int steps, const core::Stream& stream);
  /// Waits; the present state, which is that before the step that failed, and the history since reset().
  History finish(State& state, const core::Stream& stream);
  /// Makes the present state the one that reset() finds, and resets: a new history begins.
  void keep(const core::Stream& stream);

  /// The host waits after a few iterations and decides on the next ones, in place of a graph with a conditional node,
  /// which compute-sanitizer does not follow. The bits are the same.
  void loop_by_host(bool wanted);

  /// Enqueues one product with the blocks of the present state and step, y = A x, for tests and timings: x and y have
  /// their five variables 'stride' apart. What lies between the variables of y stays as it is.
  void multiply(const double* x, double* y, const core::Stream& stream);
  std::size_t stride() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace speedwell::blast_wave

// GpuSolver: the blast wave on a GPU, with buffers, time loop, upload and download for all variants that run on the
// device only.
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
  /// Allocates all memory on the current device, gpu_bytes() of gpu_bytes.hpp, with a history of at most `max_steps`
  /// steps. Throws std::invalid_argument for a problem that is not valid, core::Unavailable if the device has too
  /// little free memory, core::DeviceError.
  GpuSolver(const Problem& problem, BlockSource blocks, int max_steps, const core::Stream& stream);
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Copies the state to the device as the one that reset() restores. Throws as require_admissible().
  void upload(const State& state, const core::Stream& stream);
  /// Enqueues the copy of the uploaded state to the present one, and clears the history.
  void reset(const core::Stream& stream);
  /// Overwrites the present state with 0xff bytes; reset() must follow.
  void poison(const core::Stream& stream);
  /// Enqueues `steps` time steps without waiting. After a step that failed the rest do nothing.
  void run(int steps, const core::Stream& stream);
  /// Waits. Overwrites `state` with the present state, which after a failure is that before the failed step, and
  /// returns the history since reset().
  History finish(State& state, const core::Stream& stream);
  /// Makes the present state the one that reset() restores, and starts a new history.
  void save(const core::Stream& stream);

  /// With `wanted`, the host controls the iteration and waits after every few iterations, instead of a graph with a
  /// conditional node, which compute-sanitizer does not support. The result has the same bits.
  void loop_by_host(bool wanted);

  /// Enqueues one product with the blocks of the present state and step, y = A x, for tests and timings: the five
  /// variables of x and y are 'stride' apart. The padding between the variables of y is not written.
  void multiply(const double* x, double* y, const core::Stream& stream);
  std::size_t stride() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace speedwell::blast_wave

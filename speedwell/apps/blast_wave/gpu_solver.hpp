// GpuSolver: the blast wave on a GPU, with buffers, time loop, upload and download for all variants that run on the
// device only.
//   GpuSolver solver(problem, BlockSource::recomputed, problem.steps, stream);
//   solver.upload(state, stream);  solver.run(problem.steps, stream);  History h = solver.finish(state, stream);
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

/// The method of CpuSolver in blast_wave.hpp, with its source, on one GPU.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. It has two states, the present one and a saved one, which restore() returns to. One stream at a time may
/// use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates all memory on the current device, gpu_bytes() of gpu_bytes.hpp; the state is undefined. A history has at
  /// most `max_steps` steps. Throws std::invalid_argument for a problem that is not valid or `max_steps` below 1,
  /// core::Unavailable if the device has too little free memory, core::DeviceError.
  GpuSolver(const Problem& problem, BlockSource blocks, int max_steps, const core::Stream& stream);

  /// Copies the state to the device as the present one and the saved one, and begins a new history. Waits for the first
  /// copy. Throws as require_admissible().
  void upload(const State& state, const core::Stream& stream) {
    upload_saved(state, stream);
    restore(stream);
  }
  /// Copies the state to the device as the saved one alone, and waits; restore() must follow.
  void upload_saved(const State& state, const core::Stream& stream);
  /// Enqueues the copy of the saved state to the present one, and begins a new history.
  void restore(const core::Stream& stream);
  /// Enqueues `steps` time steps without waiting, but for loop_by_host(). After a step that failed the rest do nothing.
  /// Throws std::invalid_argument if the history would have more than max_steps steps.
  void run(int steps, const core::Stream& stream);
  /// Waits. Overwrites `state` with the present state, which after a failure is that before the failed step, and
  /// returns the history since it began.
  History finish(State& state, const core::Stream& stream);
  /// Makes the present state the saved one, and begins a new history. Waits.
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
  core::Pimpl<Parts> parts_;
};

}  // namespace speedwell::blast_wave

// DistributedGpuSolver: a blast wave on several GPUs of one host, one per rank, each with a slab of planes along z. The
// first rank distributes and collects whole states. Included by CUDA sources only.
//   DistributedGpuSolver solver(ranks, problem, problem.steps, stream);
//   solver.scatter(rank == 0 ? &state : nullptr, stream);  solver.run(problem.steps, stream);
//   History h = solver.finish(rank == 0 ? &state : nullptr, stream);
//
// The method is that of GpuSolver with BlockSource::recomputed, with its kernels, and its loop over iterations on the
// device. Kernels store what a neighbour needs straight into its memory: in a step two planes of the state and one of
// each of the first residual, direction and increment, and in an iteration one of each of its two products. The sums
// over the ranks, which an iteration has after each product anyway, tell that the planes have arrived. So there are no
// messages besides, nothing to wait for but these sums, and all transfers travel while the product computes.
#pragma once

#include <string>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

/// The functions are collective but for those that return what is known. All ranks give the same problem and call the
/// same functions; a state is read or written on rank 0 only.
///
/// Which bits agree: a run has the same bits each time on as many ranks with GPUs of one kind, since sums are added in
/// a fixed order, of threads, blocks and ranks; the history has the same bits on all ranks. On one rank the bits are
/// those of GpuSolver. On other numbers of ranks the sums of BiCGSTAB are added in another order, slab by slab, and
/// differ by rounding; alpha and omega follow from them, so that the solution of each step differs by what its residual
/// allows, sqrt(max_squared_residual), and the number of iterations may differ by a few. verify() says how much.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. It has two states, the present one and a saved one, which restore() returns to. One stream at a time may
/// use it. All functions throw core::DeviceError if CUDA or MPI fails.
class DistributedGpuSolver {
 public:
  /// Allocates all memory on the current device, 58 numbers in f64 per point of the slab and four planes more; the
  /// state is undefined. A history has at most `max_steps` steps. `ranks` must outlive the object. Throws
  /// std::invalid_argument for a problem that is not valid, more than one rank for each two planes along z, or
  /// `max_steps` below 1; core::Unavailable, on all ranks, if a device has too little free memory, the ranks are on
  /// several hosts or more than 16, or a GPU cannot map the memory of another.
  DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem, int max_steps,
                       const core::Stream& stream);

  /// Distributes a state as the present one and the saved one, and begins a new history; waits for the copy. Throws
  /// std::invalid_argument on all ranks for a state that require_admissible() refuses.
  void scatter(const State* whole, const core::Stream& stream) {
    scatter_saved(whole, stream);
    restore(stream);
  }
  /// Distributes a state as the saved one alone, and waits; restore() must follow.
  void scatter_saved(const State* whole, const core::Stream& stream);
  /// Enqueues the copy of the saved state to the present one, and begins a new history.
  void restore(const core::Stream& stream);
  /// Enqueues `steps` time steps without waiting, but for loop_by_host(). After a step that failed the rest do nothing.
  /// Throws std::invalid_argument if the history would have more than max_steps steps.
  void run(int steps, const core::Stream& stream);
  /// Waits. Overwrites *whole with the present state, which after a failure is that before the failed step, and returns
  /// the history since it began, on all ranks. Throws core::DeviceError, on all ranks, if one did not come to a sum
  /// within 20 s.
  History finish(State* whole, const core::Stream& stream);
  /// Makes the present state the saved one, and begins a new history. Waits; throws as finish() does.
  void save(const core::Stream& stream);

  /// As GpuSolver::loop_by_host(); the same on all ranks.
  void loop_by_host(bool wanted);

  /// The time that kernels of this rank have spent in sums over the ranks, for the messages and for later ranks. Waits
  /// for the device.
  double exchange_seconds() const;
  /// "4 slabs along z".
  std::string division_text() const;

 private:
  struct Data;
  core::Pimpl<Data> data_;
};

}  // namespace speedwell::blast_wave

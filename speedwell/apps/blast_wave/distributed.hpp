// DistributedSolver: a blast wave whose box is divided among ranks, each of which advances its slab as CpuSolver does:
//   DistributedSolver solver(ranks, problem);
//   solver.scatter(rank == 0 ? &state : nullptr);
//   History history = solver.run(problem.steps);
//   solver.gather(rank == 0 ? &state : nullptr);
//
// A slab is a contiguous range of points in memory order, in tiles of 32 (slab.hpp says why slabs). In a step two
// planes of the state travel to the neighbours, and in each iteration of BiCGSTAB a plane of the vector of each of its
// two products, while the tiles that do not read it are computed. An iteration has two sums over ranks, of one number
// and of five. Tiles are summed in pairs as on one process, so that state and history have the bits of CpuSolver for
// any number of ranks and of threads.
#pragma once

#include <string>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

/// The functions are collective but for those that return what is known. All ranks give the same problem; a state is
/// read or written on rank 0 only.
class DistributedSolver {
 public:
  /// `threads` of each rank; 0 is OpenMP's default. `ranks` must outlive the object. Throws std::invalid_argument for a
  /// problem that is not valid, and if a rank would have fewer points than two planes; std::bad_alloc.
  explicit DistributedSolver(const comm::Communicator& ranks, const Problem& problem, int threads = 1);

  /// Distributes a state. Throws std::invalid_argument on all ranks for one that require_admissible() refuses.
  void scatter(const State* whole);
  /// Overwrites *whole with the present state.
  void gather(State* whole);
  /// Takes `steps` time steps as CpuSolver::run(); the history is the same on all ranks.
  History run(int steps);

  /// Seconds of this rank in the last run(), as CpuSolver::seconds().
  CpuSolver::Parts seconds() const;
  /// Seconds that this rank has spent in transfers and sums, not hidden by computation.
  double exchange_seconds() const;
  /// "4 slabs along z".
  std::string division_text() const;

  /// Bytes of all ranks together, their halos included.
  static double host_bytes(const Extents& extents, int ranks);
  /// Throws std::invalid_argument if `ranks` ranks are more than the box can be divided among.
  static void require_ranks(const Extents& extents, int ranks);

 private:
  struct Data;
  core::Pimpl<Data> data_;
};

}  // namespace speedwell::blast_wave

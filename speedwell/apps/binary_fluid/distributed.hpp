// DistributedFluid: a binary fluid whose box is divided among ranks. Each rank advances a tile with the row kernels of
// CpuSolver on one core, and has a halo of its neighbours' sites along the axes that are divided:
//   DistributedFluid fluid(ranks, problem, Precision::f64);
//   fluid.scatter(rank == 0 ? &state : nullptr);  fluid.run(1000);  fluid.gather(rank == 0 ? &state : nullptr);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"

namespace speedwell::binary_fluid {

/// The division of a box among ranks; axes of the decomposition are z, y, x. `ranks_along` has the numbers of ranks
/// along x, y and z; 0: chosen, with rows along x divided only if the box cannot be divided otherwise. Axes that are
/// not divided have no halo. Throws std::invalid_argument as comm::Decomposition.
comm::Decomposition division_of(const Problem& problem, int ranks, const std::array<int, 3>& ranks_along = {});

/// All ranks construct it with the same problem and precision, and call scatter(), run(), gather() and statistics()
/// together; the other members are local. `whole` is read or written on rank 0 only.
class DistributedFluid {
 public:
  class Tile;

  /// Allocates all memory of the steps: a rank's share of CpuSolver::host_bytes(), and the halo. Throws
  /// std::invalid_argument as require_valid() and division_of(). `ranks` must outlive the object.
  DistributedFluid(const comm::Communicator& ranks, const Problem& problem, Precision precision,
                   const std::array<int, 3>& ranks_along = {});
  DistributedFluid(DistributedFluid&&) noexcept;
  ~DistributedFluid();

  const comm::Decomposition& division() const { return division_; }
  /// Ranks along x, y and z: "1 x 2 x 4".
  std::string division_text() const;

  /// Distributes a state. Throws std::invalid_argument on all ranks if its extents are not the problem's.
  void scatter(const State* whole);
  /// Takes `steps` time steps. The populations have the bits of CpuSolver for any number of ranks and any division:
  /// those of a site depend on no sum over sites, and are computed by the same kernels in the same order.
  void run(int steps);
  /// Overwrites *whole with the present state.
  void gather(State* whole);

  /// Statistics of the present state, on every rank: those of the tiles, added in the order of the ranks, so that they
  /// have the same bits at every call with as many ranks.
  Statistics statistics();

  /// Seconds that this rank has spent in exchanges, not hidden by computation: packing, waiting, unpacking.
  double exchange_seconds() const;
  /// Bytes that this rank sends to others in a step, on average.
  double sent_bytes() const;

 private:
  const comm::Communicator& ranks_;
  Problem problem_;
  comm::Decomposition division_;
  std::unique_ptr<Tile> tile_;
  std::int64_t step_ = 0;
};

}  // namespace speedwell::binary_fluid

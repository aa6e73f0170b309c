// FT on ranks: slabs of the field along z, and of the modes along y, on the distributed transforms of fft. A time step
// is one exchange.
#pragma once

#include <memory>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::npb::ft {

class DistributedSolver {
 public:
  /// Collective; all ranks give the same problem. Allocates the memory; one thread on each rank. `ranks` must outlive
  /// the solver. Throws as require_valid(), and std::invalid_argument for more ranks than planes along z or rows along
  /// y.
  DistributedSolver(const comm::Communicator& ranks, const Problem& problem);
  DistributedSolver(DistributedSolver&&) noexcept;
  ~DistributedSolver();

  /// Collective. Executes the timed region of the benchmark, from the initial field on. The same on all ranks; sums are
  /// added in the order of the ranks.
  Checksums run();
  /// Seconds that this rank has packed, waited and unpacked.
  double exchange_seconds() const;
  /// Whether the ranks share memory in place of messages.
  bool shares_memory() const;
  /// Bytes of all ranks together, with messages; with shared memory they are fewer.
  static double bytes(const Problem& problem);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::npb::ft

// Solvers on ranks of MPI. The first rank runs the time loop, reads and writes files, and decides; before each
// operation it tells the others which one it is, and all carry it out together. So no rank waits for another that has
// decided otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

/// The part of a solver that a rank other than the first has.
class Follower {
 public:
  virtual ~Follower() = default;
  /// Takes part in an operation that the first rank told, a number of the solver's own.
  virtual void act(int operation) = 0;
};

enum class RankSolver { binary_fluid, blast_wave, flow_f32, flow_f64 };

/// On the first rank: the others create their part of a solver, take part in an operation of it, and destroy it.
void tell_begin(const comm::Communicator& ranks, RankSolver solver);
void tell(const comm::Communicator& ranks, int operation);
void tell_end(const comm::Communicator& ranks);

/// On all ranks but the first: takes part in the operations of the first until it calls release_ranks(), whose argument
/// is returned. Throws std::runtime_error after abandon_ranks().
StopReason follow_first_rank(const comm::Communicator& ranks);
/// On the first rank, at the end of a run.
void release_ranks(const comm::Communicator& ranks, StopReason reason);
/// On the first rank, after a failure.
void abandon_ranks(const comm::Communicator& ranks);

/// Collective. Calls act(), after which the ranks agree whether it succeeded: where it throws core::DeviceError on one
/// rank, all ranks throw one, those on which it succeeded with a message that says that another rank failed. For parts
/// of a step that may fail on one rank alone, while the time loop goes on after such an error. Other exceptions must be
/// thrown by act() on all ranks or on none.
template <class Act>
void throw_together(const comm::Communicator& ranks, const Act& act) {
  std::string failure;
  bool failed = false;
  try {
    act();
  } catch (const core::DeviceError& e) {
    failed = true;
    failure = e.what();
  }
  if (ranks.reduce(std::int64_t{failed}, comm::Reduction::maximum) > 0)
    throw core::DeviceError(failed ? failure : "another rank failed");
}

/// After tell_begin() of the solver; collective with its creation on the first rank.
std::unique_ptr<Follower> follow_fluid(const comm::Communicator& ranks);
std::unique_ptr<Follower> follow_blast(const comm::Communicator& ranks);
std::unique_ptr<Follower> follow_flow(const comm::Communicator& ranks, bool f32);

}  // namespace speedwell::simulation

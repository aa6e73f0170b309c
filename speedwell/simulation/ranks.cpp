#include "speedwell/simulation/ranks.hpp"

#include <stdexcept>

namespace speedwell::simulation {
namespace {

// What the first rank tells the others.
struct Command {
  enum class What { begin, act, end, release, abandon } what = What::abandon;
  int value = 0;  // the solver, its operation, or the reason of the release
};
using What = Command::What;

std::unique_ptr<Follower> begin(const comm::Communicator& ranks, RankSolver solver) {
  switch (solver) {
    case RankSolver::binary_fluid:
      return follow_fluid(ranks);
    case RankSolver::blast_wave:
      return follow_blast(ranks);
    case RankSolver::flow_f32:
    case RankSolver::flow_f64:
      break;
  }
  return follow_flow(ranks, solver == RankSolver::flow_f32);
}

}  // namespace

void tell_begin(const comm::Communicator& ranks, RankSolver solver) {
  ranks.broadcast(Command{What::begin, static_cast<int>(solver)});
}
void tell(const comm::Communicator& ranks, int operation) { ranks.broadcast(Command{What::act, operation}); }
void tell_end(const comm::Communicator& ranks) { ranks.broadcast(Command{What::end, 0}); }

StopReason follow_first_rank(const comm::Communicator& ranks) {
  std::unique_ptr<Follower> part;
  for (;;) {
    const Command command = ranks.broadcast(Command{});
    switch (command.what) {
      case What::begin:
        part.reset();
        part = begin(ranks, static_cast<RankSolver>(command.value));
        break;
      case What::act:
        part->act(command.value);
        break;
      case What::end:
        part.reset();
        break;
      case What::release:
        return static_cast<StopReason>(command.value);
      case What::abandon:
        throw std::runtime_error("the first rank failed");
    }
  }
}

void release_ranks(const comm::Communicator& ranks, StopReason reason) {
  ranks.broadcast(Command{What::release, static_cast<int>(reason)});
}

void abandon_ranks(const comm::Communicator& ranks) { ranks.broadcast(Command{What::abandon, 0}); }

}  // namespace speedwell::simulation

// A blast wave on ranks of MPI, on a core each, whose first rank runs the time loop.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/blast_wave/stepper.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(): a stepper whose states and histories have the bits
/// of blast_wave::stepper_on_cores() on any number of ranks. Each run() collects the state on the first rank. `ranks`
/// must outlive the stepper. Throws as blast_wave::DistributedSolver, on all ranks.
std::unique_ptr<blast_wave::Stepper> stepper_on_ranks(const comm::Communicator& ranks,
                                                      const blast_wave::Problem& problem);

/// "2 ranks (slabs along z)". Throws std::invalid_argument if the box cannot be divided among so many ranks.
std::string ranks_text(const blast_wave::Problem& problem, int ranks);

}  // namespace speedwell::simulation

// A binary fluid on ranks of MPI. The first rank runs the time loop, reads and writes files, and decides; before each
// operation it tells the others which one it is, and all carry it out together. So no rank waits for another that has
// decided otherwise.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(). The populations, fields and statistics have the bits
/// of stepper_on_cores() on any number of ranks. `ranks` must outlive the stepper. Throws std::invalid_argument if the
/// box cannot be divided.
std::unique_ptr<binary_fluid::Stepper> stepper_on_ranks(const comm::Communicator& ranks,
                                                        const binary_fluid::Problem& problem,
                                                        binary_fluid::Precision precision);

/// On all ranks but the first: takes part in the operations of its stepper until the first calls release_ranks(), whose
/// argument is returned. Throws std::runtime_error after abandon_ranks().
StopReason follow_first_rank(const comm::Communicator& ranks);
/// On the first rank, at the end of a run.
void release_ranks(const comm::Communicator& ranks, StopReason reason);
/// On the first rank, after a failure.
void abandon_ranks(const comm::Communicator& ranks);

/// "2 ranks (1 x 1 x 2 along x, y and z)". Throws std::invalid_argument if the box cannot be divided.
std::string ranks_text(const binary_fluid::Problem& problem, int ranks);

}  // namespace speedwell::simulation

// A binary fluid on ranks of MPI, whose first rank runs the time loop.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(). The populations, fields and statistics have the bits
/// of stepper_on_cores() on any number of ranks. `ranks` must outlive the stepper. Throws std::invalid_argument if the
/// box cannot be divided.
std::unique_ptr<binary_fluid::Stepper> stepper_on_ranks(const comm::Communicator& ranks,
                                                        const binary_fluid::Problem& problem,
                                                        binary_fluid::Precision precision);

/// "2 ranks (1 x 1 x 2 along x, y and z)". Throws std::invalid_argument if the box cannot be divided.
std::string ranks_text(const binary_fluid::Problem& problem, int ranks);

}  // namespace speedwell::simulation

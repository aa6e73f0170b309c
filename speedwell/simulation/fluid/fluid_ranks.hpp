// A binary fluid on ranks of MPI, on a core or a GPU each, whose first rank runs the time loop.
#pragma once

#include <memory>
#include <string>

#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// On the first rank, while the others are in follow_first_rank(). With `on_gpus` each rank drives its current GPU: the
/// populations and fields have the bits of stepper_on_gpu() on any number of GPUs, and the sums of the statistics
/// differ by rounding. Otherwise populations, fields and statistics have the bits of stepper_on_cores() on any number
/// of ranks. `ranks` must outlive the stepper. Throws as fluid_part_on_core() and fluid_part_on_gpu().
std::unique_ptr<binary_fluid::Stepper> stepper_on_ranks(const comm::Communicator& ranks,
                                                        const binary_fluid::Problem& problem,
                                                        binary_fluid::Precision precision, bool on_gpus);

/// "2 ranks (1 x 1 x 2 along x, y and z)". Throws std::invalid_argument if the box cannot be divided.
std::string ranks_text(const binary_fluid::Problem& problem, int ranks);
/// "2 GPUs (slabs along z)". Throws std::invalid_argument for more GPUs than planes.
std::string gpus_text(const binary_fluid::Problem& problem, int gpus);

}  // namespace speedwell::simulation

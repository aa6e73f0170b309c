// From the options of `solve` to ranks and devices: what is refused, the launcher, and the GPU of each process.
#pragma once

#include <string>
#include <vector>

#include "speedwell/session/options.hpp"
#include "speedwell/simulation/options.hpp"

namespace speedwell::session {

/// Sets the members threads, gpu, gpu_device and ranks of `solve`, which has the case and the folder, from --variant
/// (auto, openmp, cuda or multi), --threads, --ranks, --gpus and --devices. Ranks of --ranks, also one, and of a
/// launcher of the user's are on cores, one each; those of --gpus and of `multi` are on GPUs, one each.
///
/// Returns the command line of the launcher to start instead; empty if this process runs the case. A case that would
/// not run on so many ranks is refused before a launcher is started, if its file can be read again. Throws as
/// launch_line(), simulation::require_ranks() and gpus_of_process(), and UsageError for options that contradict each
/// other.
std::vector<std::string> enter_solve(const RunOptions& options, const CommandLine& line,
                                     simulation::SimulationOptions& solve);

}  // namespace speedwell::session

// Resuming a run from a checkpoint.
#pragma once

#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/run_folder.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// Loads the newest valid checkpoint of the folder's run, with a warning for each invalid one. A std::invalid_argument
/// of load() counts as an invalid checkpoint. Throws io::InputError if there is none, with the fault of the last one,
/// and if it has other settings than the solver. Sets the folder's run if it is unknown.
void resume_from_checkpoint(RunFolder& folder, TimeDependentSolver& solver, const SimulationOptions& options);

}  // namespace speedwell::simulation

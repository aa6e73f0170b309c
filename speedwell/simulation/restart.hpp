// How a run goes on from a checkpoint.
#pragma once

#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/run_folder.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// Loads the newest checkpoint of the folder's run that is whole; one that is not costs a warning. A
/// std::invalid_argument of load() is the checkpoint's fault. Throws io::InputError where there is none, where it was
/// made with other settings than the solver's, and what was wrong with the last one. Sets the folder's run if it is
/// unknown.
void resume_from_checkpoint(RunFolder& folder, TimeDependentSolver& solver, const SimulationOptions& options);

}  // namespace speedwell::simulation

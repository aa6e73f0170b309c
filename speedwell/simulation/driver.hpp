// Runs a time-dependent solver, of a case file or of your own, with outputs, histories and checkpoints in a folder; a
// run can be resumed, and stops on a signal or a time limit.
#pragma once

#include <string>

#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// Runs the case options.file with the solver that it asks for (incompressible_flow, blast_wave or binary_fluid). The
/// folder gets run.json, case.toml, history.csv, fields/ and flow.pvd over them, checkpoints/, and of flows probes.csv,
/// lines/, slices/, spectra/, scales.csv, profiles.csv and decay.csv where they are wanted. A run that is interrupted,
/// or out of time, or whose state stops being finite, leaves a checkpoint: of the last finite state. Throws
/// FolderNotEmpty, std::invalid_argument, io::InputError (also for no checkpoint, or one of another case, to resume
/// from), io::OutputError, and core::Unavailable for too little memory or no device.
SimulationEnd run(const SimulationOptions& options);

/// What that run would take; nothing is written. Throws as run(), but not for too little memory.
RunPlan plan(const SimulationOptions& options);

/// Runs any solver in the same way: the folder gets run.json, case.toml with `case_text` where there is one,
/// checkpoints/, and what the solver's outputs write. Of the options `file`, `threads`, `gpu` and `available_bytes`
/// count for nothing, but that a resumed run replaces case.toml where `file` is not empty. Throws as run(), and what
/// the solver throws; std::logic_error for a solver that takes no step.
SimulationEnd run(TimeDependentSolver& solver, const SimulationOptions& options, const std::string& case_text = {});

}  // namespace speedwell::simulation

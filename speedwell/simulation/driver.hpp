// Runs a time-dependent solver, of a case file or of a program, with outputs, histories and checkpoints in a folder; a
// run can be resumed, and stops on a signal or a time limit.
#pragma once

#include <string>

#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// Runs the case options.file with the solver that it asks for (incompressible_flow, blast_wave or binary_fluid). The
/// folder gets run.json, case.toml, history.csv, fields/ and flow.pvd or flow.xdmf over them, checkpoints/, and for
/// flows, on request, probes.csv, lines/, slices/, spectra/, scales.csv, profiles.csv and decay.csv. A run that is
/// interrupted, reaches its time limit, or whose state is no longer finite, leaves a checkpoint: of the last finite
/// state. Throws FolderNotEmpty, std::invalid_argument, io::InputError (also for no checkpoint, or one of another case,
/// to resume from), io::OutputError, and core::Unavailable for too little memory, no device or no HDF5 for its fields.
/// On ranks, those other than the first get the reason of the end alone, and std::runtime_error if the first one
/// throws.
SimulationEnd run(const SimulationOptions& options);

/// The resources of that run; nothing is written. Throws as run(), but not for too little memory. Ranks other than the
/// first get an empty plan.
RunPlan plan(const SimulationOptions& options);

/// Reads the case, without MPI, and throws what run() would because it reads the case, or because the case cannot run
/// on so many ranks, with `options.gpu` always on a GPU each: io::InputError, std::invalid_argument.
void require_ranks(const SimulationOptions& options, int ranks);

/// Runs any solver in the same way: the folder gets run.json, case.toml with `case_text` unless that is empty,
/// checkpoints/, and the solver's outputs. The options `file`, `threads`, `ranks`, `gpu`, `gpu_device` and
/// `available_bytes` are ignored, except that a resumed run replaces case.toml if `file` is not empty. Throws as run(),
/// and what the solver throws; std::logic_error for a solver that takes no step.
SimulationEnd run(TimeDependentSolver& solver, const SimulationOptions& options, const std::string& case_text = {});

}  // namespace speedwell::simulation

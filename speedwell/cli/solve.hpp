// speedwell solve: a simulation from a case file, and case files of all keys.
#pragma once

#include <iosfwd>
#include <string>

#include "speedwell/simulation/options.hpp"

namespace speedwell::cli {

using simulation::StopReason;

/// Options of `speedwell solve`. run_solve() sets on_message, on_progress and progress_interval.
struct SolveOptions : simulation::SimulationOptions {
  bool quiet = false;
  bool dry_run = false;
  bool progress = false, terminal = false;
};

/// Runs the case as simulation::run(), or says what that would take: what it found to `out`, messages to `err`. Throws
/// as it does, and UsageError for a folder that is not empty.
StopReason run_solve(const SolveOptions& options, std::ostream& out, std::ostream& err);

/// A case file of all keys of a solver, each explained; of all solvers, one after the other, where none is named.
/// Throws UsageError for a name that is not a solver's.
std::string solve_keys(const std::string& solver);

}  // namespace speedwell::cli

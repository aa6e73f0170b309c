// speedwell solve: a flow from a case file, advanced in time, with histories, fields and checkpoints in a folder.
#pragma once

#include <atomic>
#include <iosfwd>
#include <limits>
#include <string>

namespace speedwell::cli {

struct SolveOptions {
  std::string file;    // the case; empty: the one in the folder
  std::string folder;  // where everything goes
  bool force = false;  // write into a folder that is not empty
  bool resume = false;
  int threads = 1;
  /// The GPU does what it can, where there is one; always: std::invalid_argument and core::Unavailable say why not.
  enum class Gpu { if_possible, always, never } gpu = Gpu::if_possible;
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
  /// Of memory: a run that needs more is refused before anything is written.
  double available_bytes = std::numeric_limits<double>::infinity();
  bool quiet = false;
  bool dry_run = false;
  bool progress = false, terminal = false;
  const std::atomic<bool>* stop = nullptr;
};

enum class SolveEnd { done, diverged, stopped, out_of_time };

/// Runs the case with the solver that it asks for: what it found to `out`, messages to `err`. A run that is stopped, or
/// out of time, or whose flow stops being finite, leaves a checkpoint: of the last finite flow. Throws
/// std::invalid_argument, io::InputError, io::OutputError, and core::Unavailable for too little memory.
SolveEnd run_solve(const SolveOptions& options, std::ostream& out, std::ostream& err);

/// A case file of all keys of a solver, each explained; of all solvers, one after the other, where none is named.
/// Throws UsageError for a name that is not a solver's.
std::string solve_keys(const std::string& solver);

}  // namespace speedwell::cli

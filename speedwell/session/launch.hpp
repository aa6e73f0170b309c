// From --ranks and --gpus to a launch: which variants are meant, whether the ranks fit on this machine, and the command
// line of the launcher of MPI.
#pragma once

#include <string>
#include <vector>

#include "speedwell/session/options.hpp"

namespace speedwell::session {

/// For a command with --ranks or --gpus, before enter_ranks(): refuses values that are no numbers and options that
/// contradict each other, and selects the variants on ranks or GPUs if none are selected. Throws UsageError.
void select_backend(RunOptions& options);
/// Throws UsageError if --gpus is given and a selected variant of the application does not run on several GPUs, and
/// std::invalid_argument for a selection that the application does not have.
void require_backend(const harness::Application& application, const RunOptions& options);
/// If --ranks or --gpus is given and no launcher has started this process, the process becomes the launcher of as many
/// ranks, with the same arguments; then this does not return. Under a launcher, and with one rank, it checks that the
/// number is the launcher's. Throws UsageError, and core::Unavailable without MPI, a launcher or a GPU.
void enter_ranks(const RunOptions& options, const CommandLine& line);
/// The command line of the launcher that enter_ranks() would start; empty if it would start none. Throws as it does.
std::vector<std::string> launch_line(const RunOptions& options, const CommandLine& line);

/// A number of ranks. Throws UsageError.
int rank_option(const std::string& text);
/// A number of GPUs; 0 stands for all. Throws UsageError.
int gpu_option(const std::string& text);
/// Cores on which this process may run.
int machine_cores();
/// Throws UsageError for more ranks than cores, unless that is meant or a batch system places them.
void require_cores(int ranks, int cores, bool oversubscribe);
/// The number of GPUs that --devices leaves, which are here. Throws core::Unavailable if there is none, and UsageError
/// if --devices leaves none.
int machine_gpus(const std::string& devices);
/// Throws UsageError for more ranks than GPUs, unless that is meant, and core::Unavailable if those that they would use
/// are of several models.
void require_gpus(int ranks, const std::string& devices, bool oversubscribe);
/// Whether a batch system or a launcher of the user's decides which hosts, cores and GPUs ranks are given.
bool placed_by_others();

}  // namespace speedwell::session

// The ranks of this launch, as the commands see them: MPI begins when a launcher started several, or when a command
// wants it; the first rank speaks; all leave with one status.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::cli {

/// Begins MPI if a launcher started several ranks, of which all but the first are silent from then on. Throws
/// core::Unavailable.
void join_launch();
/// Begins MPI if it has not, for a command that uses it on the ranks there are. Throws core::Unavailable.
void begin_ranks();

/// For a command with --ranks or --gpus, before enter_ranks(): refuses values that are no numbers and options that
/// contradict each other, and selects the variants on ranks or GPUs if none are selected. Throws UsageError.
void select_backend(RunOptions& options);
/// Throws UsageError if --gpus is given and a selected variant of the application does not run on several GPUs, and
/// std::invalid_argument for a selection that the application does not have.
void require_backend(const harness::Application& application, const RunOptions& options);
/// If --ranks or --gpus is given and no launcher has started this process, the process becomes the launcher of as many
/// ranks, with the same arguments; then this does not return. Under a launcher, and with one rank, it checks that the
/// number is the launcher's. Throws UsageError, and core::Unavailable without MPI, a launcher or a GPU.
void enter_ranks(const RunOptions& options, const Arguments& arguments);
/// The command line of the launcher that enter_ranks() would start; empty if it would start none. Throws as it does.
std::vector<std::string> launch_line(const RunOptions& options, const Arguments& arguments);

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

/// All ranks; nullptr before MPI has begun.
const comm::Communicator* ranks();
int rank_count();
/// Whether this is the first rank, which prints and writes.
bool is_root();

/// Collective. Whether it is so on some rank.
bool any_rank(bool mine);

/// Collective. Calls `act` on the first rank; where that throws, no rank continues.
template <class Act>
void on_first_rank(const Act& act) {
  std::exception_ptr failure;
  try {
    if (is_root()) act();
  } catch (...) {
    failure = std::current_exception();
  }
  if (!any_rank(failure != nullptr)) return;
  if (failure) std::rethrow_exception(failure);
  throw std::runtime_error("the first rank failed");
}

/// Collective. The hardware threads of this host on which some rank may run, ascending.
std::vector<int> cpus_of_ranks();

/// Collective. Rank, host and cores of each, a line a rank.
std::string placement_text();

/// Ends MPI. What the job exits with: of the statuses of its ranks the greatest.
int leave(int status);
/// The same for a failure; prints it, and `document` on standard output. Where all ranks failed the first one speaks
/// for them; a rank that failed alone says which it is and ends the job, since the others wait for it.
int leave(const Failure& failure, const std::string& document);

}  // namespace speedwell::cli

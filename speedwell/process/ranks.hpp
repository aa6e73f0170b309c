// The ranks of this launch: MPI begins when a launcher started several, or when it is asked for; the first rank prints
// and writes; all ranks end with one status.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/process/failure.hpp"

namespace speedwell::process {

/// Begins MPI if a launcher started several ranks, of which all but the first are silent from then on. Throws
/// core::Unavailable.
void join_launch();
/// Begins MPI if it has not, to use it on the ranks there are. Throws core::Unavailable.
void begin_ranks();

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

/// Ends MPI and expects exit() (see expect_exit()). Returns the exit status of the job: the greatest of
/// the statuses of its ranks.
int leave(int status);
/// The same after standard output has been closed by its reader, as `| head` does when it has read enough: a process
/// without other ranks and without a failure ends by SIGPIPE, as grep and others do, which the shell calls 141.
int leave_closed_pipe(int status);
/// The same for a failure; prints it, and `document` on standard output. Where all ranks failed the first one speaks
/// for them; a rank that failed alone says which it is and ends the job, since the others wait for it.
int leave(const Failure& failure, const std::string& document);

}  // namespace speedwell::process

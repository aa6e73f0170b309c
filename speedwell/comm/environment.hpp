// MPI of this process: begun once, ended with it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// The ranks of the launcher (mpirun, mpiexec, srun) that this process was started by, as its variables tell; nothing
/// without one.
std::optional<int> launcher_ranks();

/// "Open MPI v4.1.4 …": the library that is linked, for which MPI need not have begun. Empty in a build without MPI.
std::string library_version();

class Environment {
 public:
  /// Begins MPI. Throws core::Unavailable in a build without MPI, where MPI cannot begin, and where it sees one rank
  /// though the launcher has more: the launcher is another MPI's then.
  Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Ends MPI, which waits for the other ranks. A rank that failed alone calls abort() instead.
  ~Environment();

  const Communicator& world() const { return *world_; }

  /// Called by a rank that failed. If all the others call it within `patience`, the status of the lowest rank: the job
  /// can end in order. Nothing if some do not: they wait for this rank, and only abort() ends them.
  std::optional<int> all_failed(int status, std::chrono::milliseconds patience) const;

  /// Ends all ranks of the job, now.
  [[noreturn]] void abort(int status) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::optional<Communicator> world_;
};

}  // namespace speedwell::comm

// Environment: initialises MPI once in a process, and finalises it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// The number of ranks of the launcher (mpirun, mpiexec, srun) that started this process, from its environment
/// variables; nothing without a launcher.
std::optional<int> launcher_ranks();

/// The linked library, "Open MPI v4.1.4 …"; available without initialisation. Empty in a build without MPI.
std::string library_version();

class Environment {
 public:
  /// Initialises MPI. Throws core::Unavailable in a build without MPI, if MPI cannot be initialised, and if it has one
  /// rank although the launcher has more: then the launcher belongs to another MPI.
  Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Finalises MPI, which waits for the other ranks. A rank that failed alone must call abort() instead.
  ~Environment();

  const Communicator& world() const { return *world_; }

  /// To be called by a rank that failed. If all others call it within `timeout`, returns the status of the lowest rank:
  /// the job can end normally. Otherwise returns nothing: some ranks are waiting for this one, and only abort() ends
  /// them.
  std::optional<int> all_failed(int status, std::chrono::milliseconds timeout) const;

  /// Ends all ranks of the job immediately.
  [[noreturn]] void abort(int status) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::optional<Communicator> world_;
};

}  // namespace speedwell::comm

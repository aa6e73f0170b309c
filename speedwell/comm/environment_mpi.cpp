#include <cstdlib>
#include <thread>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/mpi.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(text, &length));
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

struct Environment::Impl {
  // A separate communicator, so that messages of failed ranks cannot match those of others.
  MPI_Comm failures = MPI_COMM_NULL;
};

Environment::Environment() : impl_(std::make_unique<Impl>()) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    throw core::Unavailable("MPI could not begin");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MPI_Comm world = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &world));
  check(MPI_Comm_dup(MPI_COMM_WORLD, &impl_->failures));
  world_.emplace(owned(world));
  if (const int ranks = launcher_ranks().value_or(1); ranks > 1 && world_->size() == 1) {
    world_.reset();
    MPI_Finalize();
    throw core::Unavailable("started as " + std::to_string(ranks) +
                            " ranks, of which MPI sees one: the launcher does not belong to " + library_version());
  }
}

Environment::~Environment() {
  world_.reset();
  MPI_Comm_free(&impl_->failures);
  MPI_Finalize();
}

std::optional<int> Environment::all_failed(int status, std::chrono::milliseconds timeout) const {
  const int ranks = world_->size();
  // The status of the lowest rank: the minimum of all pairs (rank, status).
  const int mine[2] = {world_->rank(), status};
  int lowest[2] = {0, 0};
  if (ranks == 1) return status;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Iallreduce(mine, lowest, 1, MPI_2INT, MPI_MINLOC, impl_->failures, &request) != MPI_SUCCESS)
    return std::nullopt;
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (int done = 0; std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return std::nullopt;
    if (done) return lowest[1];
  }
  return std::nullopt;
}

void Environment::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace speedwell::comm

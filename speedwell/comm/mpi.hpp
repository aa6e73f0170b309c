// Error handling for the files of comm/ that call MPI. Not installed.
#pragma once

#include <mpi.h>

#include <source_location>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// Throws core::DeviceError with MPI's message and the source location.
void check(int status, std::source_location at = std::source_location::current());

/// Takes ownership of `handle`, and makes its failures exceptions.
Communicator owned(MPI_Comm handle);

}  // namespace speedwell::comm

// For the files of comm/ that call MPI: what a failed call becomes. Not installed.
#pragma once

#include <mpi.h>

#include <source_location>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// Throws core::DeviceError with MPI's text and the place.
void check(int status, std::source_location at = std::source_location::current());

/// Frees `handle` in the end; failures on it are exceptions from now on.
Communicator owned(MPI_Comm handle);

}  // namespace speedwell::comm

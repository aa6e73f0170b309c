// The function behind the row on ranks; only in a build with MPI.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::gups {

std::vector<harness::Binding> mpi_runs();

}  // namespace speedwell::gups

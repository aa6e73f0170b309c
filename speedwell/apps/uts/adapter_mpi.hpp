// The rows of uts on ranks; only in a build with MPI.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::uts {

std::vector<harness::Binding> mpi_runs();

}  // namespace speedwell::uts

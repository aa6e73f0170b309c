// The variant of wavefront on ranks; only in a build with MPI.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

std::vector<harness::Binding> mpi_runs();

}  // namespace speedwell::wavefront

// wavefront for the harness: its description, sizes and table of variants, and the factories of the variants that need
// a library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();
/// In a build with MPI.
std::vector<harness::Binding> mpi_runs();

}  // namespace speedwell::wavefront

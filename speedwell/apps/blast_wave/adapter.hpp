// Adapter of blast_wave for the harness: its description, sizes and table of variants, and the factories of variants
// that need an optional library.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave {

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the variants on ranks; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the cuSPARSE variants; defined only in builds with cuSPARSE.
std::vector<harness::Binding> cusparse_runs();

}  // namespace speedwell::blast_wave

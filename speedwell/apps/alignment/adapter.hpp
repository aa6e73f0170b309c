// Adapter of alignment for the harness: its description, sizes and table of variants, and the factories of variants
// that need an optional library.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::alignment {

harness::Application application();
/// Its named problems.
std::vector<harness::Size> sizes();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the variants on ranks; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();
/// Factories of the parasail variants; defined only in builds with parasail.
std::vector<harness::Binding> parasail_runs();

}  // namespace speedwell::alignment

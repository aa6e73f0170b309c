// Adapter of block_matvec for the harness: its description, sizes and table of variants, and the factories of variants
// that need an optional library.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::blast_wave::block_matvec {

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the cuSPARSE variants; defined only in builds with cuSPARSE.
std::vector<harness::Binding> cusparse_runs();

}  // namespace speedwell::blast_wave::block_matvec

// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave {

/// The libraries' is among them if cuSPARSE and cuBLAS were found.
std::vector<harness::Binding> cuda_runs();
std::vector<harness::Binding> library_runs();

}  // namespace speedwell::blast_wave

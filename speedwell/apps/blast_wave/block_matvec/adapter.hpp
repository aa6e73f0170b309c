// block_matvec for the harness: its description, sizes and table of variants, and the factories of the variants that
// need a library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave::block_matvec {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();
/// In a build with cuSPARSE.
std::vector<harness::Binding> cusparse_runs();

}  // namespace speedwell::blast_wave::block_matvec

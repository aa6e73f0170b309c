// The functions of block_matvec's GPU rows.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave::block_matvec {

std::vector<harness::Binding> cuda_runs();
/// Empty where the build has no cuSPARSE.
std::vector<harness::Binding> library_runs();

}  // namespace speedwell::blast_wave::block_matvec

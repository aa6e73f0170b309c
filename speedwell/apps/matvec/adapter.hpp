// matvec for the harness: its description, sizes and table of variants, and the factories of the variants that need a
// library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::matvec {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();
/// In a build with OpenBLAS.
std::vector<harness::Binding> openblas_runs();
/// In a build with cuBLAS.
std::vector<harness::Binding> cublas_runs();

}  // namespace speedwell::matvec

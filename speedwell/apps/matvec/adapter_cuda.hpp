// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::matvec {

/// Those of cuBLAS are among them if cuBLAS was found.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::matvec

// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::vector_calculus {

/// cuBLAS's is among them if cuBLAS was found.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::vector_calculus

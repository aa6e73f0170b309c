// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::stencil {

/// Those of cuSPARSE are among them if cuSPARSE was found.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::stencil

// The functions behind the GPU rows of incompressible_flow; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::incompressible_flow {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::incompressible_flow

// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::binary_fluid {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::binary_fluid

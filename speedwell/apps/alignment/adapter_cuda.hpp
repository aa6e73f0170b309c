// The functions behind the GPU rows of alignment; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::alignment

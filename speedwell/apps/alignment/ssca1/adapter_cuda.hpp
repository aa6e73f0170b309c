// The functions behind the GPU rows of SSCA#1; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment::ssca1 {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::alignment::ssca1

// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::two_stream {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::two_stream

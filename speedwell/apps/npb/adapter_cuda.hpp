// The GPU variants of npb; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::npb {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::npb

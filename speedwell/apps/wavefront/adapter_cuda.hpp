// The GPU variants of wavefront; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::wavefront {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::wavefront

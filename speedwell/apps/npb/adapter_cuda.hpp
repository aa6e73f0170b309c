// The functions behind the GPU rows of npb; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::npb {

std::vector<harness::Binding> cuda_runs();

// Those of each kernel.
namespace ep {
std::vector<harness::Binding> cuda_runs();
}
namespace ft {
std::vector<harness::Binding> cuda_runs();
}

}  // namespace speedwell::npb

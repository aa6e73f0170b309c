// ssca1 for the harness: its description, sizes and table of variants, and the factories of the variants that need a
// library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::ssca1 {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::ssca1

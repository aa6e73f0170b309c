// binary_fluid for the harness: its description, sizes and table of variants, and the factories of the variants that
// need a library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::binary_fluid {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::binary_fluid

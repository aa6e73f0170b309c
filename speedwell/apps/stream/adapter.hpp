// The application as the catalogue needs it.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::stream {

harness::Application application();
/// The GPU variants; only in a build with CUDA.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::stream

// What the catalogue needs of this application.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::stream {

harness::Application application();
/// The functions behind the cuda rows; only in a build with CUDA.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::stream

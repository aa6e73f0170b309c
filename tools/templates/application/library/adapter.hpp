// The application for the harness: its description, sizes and table of variants, and the solvers of the variants that
// are compiled in an optional part. The generated catalogue calls these functions.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::new_application {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::new_application

// The GPU rows of uts.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::uts {

std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::uts

// The list of applications, which CMake generates from the calls of speedwell_add_adapter().
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell {

/// All applications with all variants. Variants that this build leaves out say why.
std::vector<harness::Application> catalogue();

}  // namespace speedwell

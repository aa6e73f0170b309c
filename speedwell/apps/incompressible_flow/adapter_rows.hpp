// What the application's problems are called: parameters and sizes.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::incompressible_flow {

std::vector<harness::Parameter> parameters();
std::vector<harness::Size> sizes();

}  // namespace speedwell::incompressible_flow

// What a problem of stencil is named by.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::stencil {

std::vector<harness::Parameter> parameters();
std::vector<harness::Size> sizes();

}  // namespace speedwell::stencil

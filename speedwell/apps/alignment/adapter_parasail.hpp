// The function behind parasail's row; none in a build without parasail.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

std::vector<harness::Binding> parasail_runs();

}  // namespace speedwell::alignment

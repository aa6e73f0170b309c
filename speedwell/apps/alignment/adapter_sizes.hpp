// The named problems of alignment.
#pragma once

#include <vector>

#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::alignment {

std::vector<harness::Size> sizes();

}  // namespace speedwell::alignment

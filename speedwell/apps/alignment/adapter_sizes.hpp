// The named problems of alignment.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

std::vector<harness::Size> sizes();

}  // namespace speedwell::alignment

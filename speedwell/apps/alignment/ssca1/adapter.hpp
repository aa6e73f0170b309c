// SSCA#1 for the harness.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment::ssca1 {

/// The table of variants; GPU rows have no function until catalogue_cuda.cpp binds them.
harness::Application application();

}  // namespace speedwell::alignment::ssca1

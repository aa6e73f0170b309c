// incompressible_flow for the harness: the description, the sizes and the table of variants.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::incompressible_flow {

harness::Application application();

}  // namespace speedwell::incompressible_flow

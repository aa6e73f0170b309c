// vector_calculus for the harness: the description, the sizes and the table of variants. GPU rows get their functions
// from adapter_cuda.hpp.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::vector_calculus {

harness::Application application();

}  // namespace speedwell::vector_calculus

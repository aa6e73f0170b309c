// matvec for the harness: the description, the sizes and the table of variants. Rows of GPUs and of libraries get their
// functions from adapter_cuda.hpp and adapter_blas.hpp.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::matvec {

harness::Application application();

}  // namespace speedwell::matvec

// uts for the harness: the description, the sizes and the table of variants. Rows of GPUs and of ranks get their
// functions from adapter_cuda.hpp and adapter_mpi.hpp.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::uts {

harness::Application application();

}  // namespace speedwell::uts

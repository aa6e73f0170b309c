// two_stream for the harness: the description, the sizes and the table of variants. Rows of GPUs get their functions
// from adapter_cuda.hpp.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::two_stream {

harness::Application application();

}  // namespace speedwell::two_stream

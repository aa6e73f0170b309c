// blast_wave for the harness: the description, the sizes and the table of variants. GPU rows get their functions from
// adapter_cuda.hpp.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave {

harness::Application application();

}  // namespace speedwell::blast_wave

// block_matvec for the harness: the description, the sizes and the table of variants.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave::block_matvec {

harness::Application application();

}  // namespace speedwell::blast_wave::block_matvec

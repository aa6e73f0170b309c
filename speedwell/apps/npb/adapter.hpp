// npb for the harness: the description, the sizes and the table of variants.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::npb {

harness::Application application();

}  // namespace speedwell::npb

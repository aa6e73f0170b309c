// What the catalogue needs of this application.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::alignment {

/// The row "cuda" is without its function: see bind().
harness::Application application();

}  // namespace speedwell::alignment

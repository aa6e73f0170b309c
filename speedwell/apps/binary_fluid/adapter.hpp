// binary_fluid for the harness.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::binary_fluid {

harness::Application application();

}  // namespace speedwell::binary_fluid

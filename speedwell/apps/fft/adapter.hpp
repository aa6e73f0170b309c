// fft for the harness: the description, the sizes and the table of variants.
#pragma once

#include "speedwell/harness/application.hpp"

namespace speedwell::fft {

harness::Application application();

}  // namespace speedwell::fft

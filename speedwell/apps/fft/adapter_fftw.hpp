// The peer's row, from adapter_fftw.cpp or adapter_without_fftw.cpp.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::fft {

std::vector<harness::Binding> fftw_runs();

}  // namespace speedwell::fft

// The functions behind the GPU rows; only in a build with CUDA.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::fft {

/// cuFFT's is among them if cuFFT was found.
std::vector<harness::Binding> cuda_runs();

}  // namespace speedwell::fft

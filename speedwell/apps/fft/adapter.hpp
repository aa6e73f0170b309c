// fft for the harness: its description, sizes and table of variants, and the factories of the variants that need a
// library.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::fft {

harness::Application application();
/// In a build with CUDA.
std::vector<harness::Binding> cuda_runs();
/// In a build with FFTW.
std::vector<harness::Binding> fftw_runs();
/// In a build with cuFFT.
std::vector<harness::Binding> cufft_runs();

}  // namespace speedwell::fft

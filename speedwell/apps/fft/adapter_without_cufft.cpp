// In a build with CUDA and without cuFFT: its row stays as it is, not built.
#include "speedwell/apps/fft/adapter_case_cuda.hpp"

namespace speedwell::fft {

std::vector<harness::Binding> cufft_runs() { return {}; }

}  // namespace speedwell::fft

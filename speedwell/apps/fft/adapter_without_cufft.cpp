// In a build with CUDA and without cuFFT: its row stays as it is, not built.
#include "speedwell/apps/fft/adapter_device.hpp"

namespace speedwell::fft {

std::vector<harness::Binding> cufft_runs() { return {}; }

}  // namespace speedwell::fft

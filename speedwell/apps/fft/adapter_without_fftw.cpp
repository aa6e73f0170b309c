#include "speedwell/apps/fft/adapter_fftw.hpp"

namespace speedwell::fft {

std::vector<harness::Binding> fftw_runs() { return {}; }

}  // namespace speedwell::fft

// In a build with CUDA and without cuSPARSE or cuBLAS: the peer's row stays as it is, not built.
#include "speedwell/apps/blast_wave/adapter_cuda.hpp"

namespace speedwell::blast_wave {

std::vector<harness::Binding> library_runs() { return {}; }

}  // namespace speedwell::blast_wave

#include "speedwell/apps/blast_wave/block_matvec/adapter_cuda.hpp"

namespace speedwell::blast_wave::block_matvec {

std::vector<harness::Binding> library_runs() { return {}; }

}  // namespace speedwell::blast_wave::block_matvec

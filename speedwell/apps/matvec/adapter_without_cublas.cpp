// In a build with CUDA and without cuBLAS: its rows stay as they are, not built.
#include "speedwell/apps/matvec/adapter_case_cuda.hpp"

namespace speedwell::matvec {

std::vector<harness::Binding> cublas_runs() { return {}; }

}  // namespace speedwell::matvec

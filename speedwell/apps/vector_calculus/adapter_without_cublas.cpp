// In a build with CUDA and without cuBLAS: its row stays as it is, not built.
#include "speedwell/apps/vector_calculus/adapter_case_cuda.hpp"

namespace speedwell::vector_calculus {

std::vector<harness::Binding> cublas_runs() { return {}; }

}  // namespace speedwell::vector_calculus

// In a build with CUDA and without cuBLAS: its variant stays in the table as not built.
#include "speedwell/apps/vector_calculus/adapter_device_solver.hpp"

namespace speedwell::vector_calculus {

std::vector<harness::Binding> cublas_runs() { return {}; }

}  // namespace speedwell::vector_calculus

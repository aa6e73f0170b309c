// In a build with CUDA and without cuBLAS: its variants stay in the table as not built.
#include "speedwell/apps/matvec/adapter_device_solver.hpp"

namespace speedwell::matvec {

std::vector<harness::Binding> cublas_runs() { return {}; }

}  // namespace speedwell::matvec

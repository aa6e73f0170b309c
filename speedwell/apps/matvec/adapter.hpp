// matvec for the harness: the application and the functions of rows that are built apart.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::matvec {

/// The description, the sizes and the table of variants; rows of GPUs and of libraries are not bound yet.
harness::Application application();
/// The functions of the GPU rows (adapter_cuda.cpp), those of cuBLAS among them if it was found.
std::vector<harness::Binding> cuda_runs();
/// The functions of OpenBLAS (adapter_blas.cpp).
std::vector<harness::Binding> blas_runs();

}  // namespace speedwell::matvec

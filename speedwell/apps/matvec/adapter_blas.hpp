// The function behind OpenBLAS's row; only in a build with OpenBLAS.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell::matvec {

std::vector<harness::Binding> blas_runs();

}  // namespace speedwell::matvec

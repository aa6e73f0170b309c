// The list of applications: explicit, no static-initialiser tricks.
#pragma once

#include <vector>

#include "speedwell/harness/application.hpp"

namespace speedwell {

/// Every application with every row of its table; rows that this build leaves out say why.
std::vector<harness::Application> catalogue();

/// Gives the GPU rows their functions (catalogue_cuda.cpp), or says that they were not built
/// (catalogue_without_cuda.cpp).
void attach_cuda(std::vector<harness::Application>& applications);
/// The same for the CPU libraries' peers (catalogue_blas.cpp, catalogue_without_blas.cpp).
void attach_blas(std::vector<harness::Application>& applications);
/// And for the rows on ranks (catalogue_mpi.cpp, catalogue_without_mpi.cpp).
void attach_mpi(std::vector<harness::Application>& applications);

}  // namespace speedwell

// In a build with OpenBLAS: the functions behind its rows.
#include "speedwell/apps/matvec/adapter_blas.hpp"
#include "speedwell/catalogue.hpp"

namespace speedwell {

void attach_blas(std::vector<harness::Application>& applications) {
  for (harness::Application& a : applications)
    if (a.name == "matvec") harness::bind_variants(a, matvec::blas_runs());
}

}  // namespace speedwell

// In a build without OpenBLAS: its rows stay listed, with the reason.
#include "speedwell/catalogue.hpp"

namespace speedwell {

void attach_blas(std::vector<harness::Application>& applications) {
  for (harness::Application& a : applications)
    harness::mark_unavailable(a, harness::Backend::openmp, "built without OpenBLAS");
}

}  // namespace speedwell

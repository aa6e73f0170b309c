// In a build without MPI: the rows on ranks stay listed, with the reason.
#include "speedwell/catalogue.hpp"

namespace speedwell {

void attach_mpi(std::vector<harness::Application>& applications) {
  for (harness::Application& a : applications) harness::mark_unavailable(a, harness::Backend::mpi, "built without MPI");
}

}  // namespace speedwell

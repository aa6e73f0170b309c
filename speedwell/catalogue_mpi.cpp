// In a build with MPI: the functions behind the rows on ranks.
#include "speedwell/apps/gups/adapter_mpi.hpp"
#include "speedwell/apps/uts/adapter_mpi.hpp"
#include "speedwell/apps/wavefront/adapter_mpi.hpp"
#include "speedwell/catalogue.hpp"

namespace speedwell {

void attach_mpi(std::vector<harness::Application>& applications) {
  for (harness::Application& a : applications) {
    if (a.name == "wavefront") harness::bind_variants(a, wavefront::mpi_runs());
    if (a.name == "gups") harness::bind_variants(a, gups::mpi_runs());
    if (a.name == "uts") harness::bind_variants(a, uts::mpi_runs());
  }
}

}  // namespace speedwell

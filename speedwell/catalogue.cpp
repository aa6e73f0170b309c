#include "speedwell/catalogue.hpp"

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/ssca1/adapter.hpp"
#include "speedwell/apps/binary_fluid/adapter.hpp"
#include "speedwell/apps/blast_wave/adapter.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"
#include "speedwell/apps/fft/adapter.hpp"
#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/incompressible_flow/adapter.hpp"
#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/transfer/adapter.hpp"
#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/uts/adapter.hpp"
#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/wavefront/adapter.hpp"

namespace speedwell {

std::vector<harness::Application> catalogue() {
  std::vector<harness::Application> applications = {
      stream::application(),
      transfer::application(),
      matvec::application(),
      alignment::application(),
      alignment::ssca1::application(),
      wavefront::application(),
      fft::application(),
      npb::application(),
      stencil::application(),
      incompressible_flow::application(),
      blast_wave::application(),
      blast_wave::block_matvec::application(),
      vector_calculus::application(),
      two_stream::application(),
      gups::application(),
      uts::application(),
      binary_fluid::application(),
  };
  attach_cuda(applications);
  attach_blas(applications);
  attach_mpi(applications);
  return applications;
}

}  // namespace speedwell

// In a build with CUDA: the functions behind the GPU rows.
#include "speedwell/apps/alignment/adapter_cuda.hpp"
#include "speedwell/apps/alignment/ssca1/adapter_cuda.hpp"
#include "speedwell/apps/binary_fluid/adapter_cuda.hpp"
#include "speedwell/apps/blast_wave/adapter_cuda.hpp"
#include "speedwell/apps/blast_wave/block_matvec/adapter_cuda.hpp"
#include "speedwell/apps/fft/adapter_cuda.hpp"
#include "speedwell/apps/gups/adapter_cuda.hpp"
#include "speedwell/apps/incompressible_flow/adapter_cuda.hpp"
#include "speedwell/apps/matvec/adapter_cuda.hpp"
#include "speedwell/apps/npb/adapter_cuda.hpp"
#include "speedwell/apps/stencil/adapter_cuda.hpp"
#include "speedwell/apps/stream/adapter.hpp"
#include "speedwell/apps/transfer/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_cuda.hpp"
#include "speedwell/apps/uts/adapter_cuda.hpp"
#include "speedwell/apps/vector_calculus/adapter_cuda.hpp"
#include "speedwell/apps/wavefront/adapter_cuda.hpp"
#include "speedwell/catalogue.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell {

void attach_cuda(std::vector<harness::Application>& applications) {
  const auto attach = [&](std::string_view name, const std::vector<harness::Binding>& bindings) {
    for (harness::Application& a : applications)
      if (a.name == name) harness::bind_variants(a, bindings);
  };
  attach("stream", stream::cuda_runs());
  attach("transfer", transfer::cuda_runs());
  attach("matvec", matvec::cuda_runs());
  attach("alignment", alignment::cuda_runs());
  attach("ssca1", alignment::ssca1::cuda_runs());
  attach("wavefront", wavefront::cuda_runs());
  attach("fft", fft::cuda_runs());
  attach("npb", npb::cuda_runs());
  attach("incompressible_flow", incompressible_flow::cuda_runs());
  attach("blast_wave", blast_wave::cuda_runs());
  attach("block_matvec", blast_wave::block_matvec::cuda_runs());
  attach("binary_fluid", binary_fluid::cuda_runs());
  attach("stencil", stencil::cuda_runs());
  attach("vector_calculus", vector_calculus::cuda_runs());
  attach("two_stream", two_stream::cuda_runs());
  attach("gups", gups::cuda_runs());
  attach("uts", uts::cuda_runs());
}

}  // namespace speedwell

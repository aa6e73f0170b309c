// What the catalogue needs of this application.
#pragma once

#include <vector>

#include "speedwell/apps/transfer/transfer.hpp"
#include "speedwell/harness/measurement/application.hpp"

namespace speedwell::transfer {

harness::Application application();
/// The functions behind the cuda rows; only in a build with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Those between two GPUs, which cuda_runs() contains.
std::vector<harness::Binding> peer_runs();

/// The blocks are made by the runs, where the way wants them: nothing but the problem is prepared.
struct TransferCase : harness::Workload {
  Problem problem;
};

}  // namespace speedwell::transfer

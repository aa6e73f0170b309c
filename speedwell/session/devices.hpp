// The processors and GPUs on which one process of a search computes, and their description.
#pragma once

#include <string>
#include <vector>

#include "speedwell/machine/machine.hpp"
#include "speedwell/session/options.hpp"

namespace speedwell::session {

/// CUDA's indices of the GPUs of this process, among those that --devices leaves. A process alone has as many as --gpus
/// says, or all without it. A rank has one of its own, or none without --gpus. Throws UsageError for more GPUs than
/// there are or for another number than that of the ranks, and core::Unavailable where a rank gets none.
std::vector<int> gpus_of_process(const RunOptions& options, const machine::Machine& machine);

/// "2 threads of AMD EPYC 9654" without devices, else "NVIDIA H200" or "2 x NVIDIA H200"; on several ranks after
/// "4 ranks, each on ".
std::string devices_text(const std::vector<int>& devices, int threads, const machine::Machine& machine);

}  // namespace speedwell::session

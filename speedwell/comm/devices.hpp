// Which GPU each rank of a launch uses: ranks and GPUs are paired host by host, one rank for each GPU.
#pragma once

#include <string>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// A GPU that a rank may use.
struct VisibleDevice {
  int index = 0;      // CUDA's, after CUDA_VISIBLE_DEVICES
  std::string model;  // "NVIDIA H200"
  std::string uuid;   // the same for all ranks that may use this GPU
};

/// The GPUs that one rank may use. A launcher may show all GPUs of a host to each rank, or to each rank others.
struct VisibleDevices {
  std::string host;                    // its name
  int first_rank = 0;                  // the lowest rank on this host
  std::vector<VisibleDevice> devices;  // in the order in which ranks take them
  std::string reason;                  // why there are none
};

/// The GPUs of all ranks, as one of them needs to know them.
struct RankDevices {
  int device = -1;                 // of this rank: CUDA's index, after CUDA_VISIBLE_DEVICES
  std::string model;               // of all GPUs
  std::vector<std::string> uuids;  // of the GPU of each rank
  int device_count = 0;            // different GPUs of all ranks together
  int ranks_on_device = 1;         // ranks that use this rank's GPU, itself included
};

/// The GPU of each rank of a host: of those that it may use, the one at its rank among the ranks of its host, beginning
/// again after the last. `all` has an entry for each rank. Throws core::Unavailable, the same for every `rank`, if a
/// rank may use no GPU, if two ranks would use one GPU, unless `shared`, or if the GPUs are of several models.
RankDevices devices_of_ranks(const std::vector<VisibleDevices>& all, int rank, bool shared);

/// Collective. The same for the ranks of a launch, of which this one may use `devices`, or none for `reason`.
RankDevices devices_of_ranks(const Communicator& ranks, const std::vector<VisibleDevice>& devices,
                             const std::string& reason, bool shared);

/// Collective. The GPU of this rank, as CUDA counts it: its rank on its host modulo the number of visible GPUs. Several
/// ranks use one GPU only if `shared`. Throws core::Unavailable as devices_of_ranks(), and in a build without CUDA.
int device_of_rank(const Communicator& ranks, bool shared);

}  // namespace speedwell::comm

// Transport: how data travels between the GPUs of two ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

enum class Transport {
  staged,     // through page-locked host memory and MPI
  gpu_aware,  // MPI reads and writes the memory of the GPUs
  nccl,       // NCCL, on a stream
  peer,       // kernels store into the memory of the other GPU
};
std::string_view to_string(Transport transport);

/// All transports, from the study's to the fastest known.
std::vector<Transport> transports();

/// Collective. Why the transport cannot be used between the current devices of these ranks, the same on all ranks;
/// nothing if it can.
std::optional<std::string> transport_missing(const Communicator& ranks, Transport transport);

/// Collective. Of the transports that are not missing, that with which exchanges of 1 MiB between neighbours take the
/// least time, of the slowest rank. Measured once in a process, for the current devices.
Transport fastest_transport(const Communicator& ranks);

}  // namespace speedwell::comm

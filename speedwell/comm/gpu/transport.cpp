#include "speedwell/comm/gpu/transport.hpp"

#ifdef SPEEDWELL_HAVE_MPI
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#include <stdexcept>

#include "speedwell/comm/gpu/nccl.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {
namespace {

/// Why MPI cannot be given pointers to the memory of a GPU; nothing if the library says that it can.
std::optional<std::string> gpu_aware_missing() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (MPIX_Query_cuda_support() == 1) return std::nullopt;
  return "this MPI library was built without support for CUDA";
#else
  return "this MPI library cannot say that it supports CUDA";
#endif
}

}  // namespace

std::string_view to_string(Transport transport) {
  switch (transport) {
    case Transport::staged:
      return "staged";
    case Transport::gpu_aware:
      return "gpu-aware";
    case Transport::nccl:
      return "nccl";
    case Transport::peer:
      return "peer";
  }
  throw std::logic_error("a transport without a name");
}

std::vector<Transport> transports() {
  return {Transport::staged, Transport::gpu_aware, Transport::nccl, Transport::peer};
}

std::optional<std::string> transport_missing(const Communicator& ranks, Transport transport) {
  switch (transport) {
    case Transport::staged:
      return std::nullopt;
    case Transport::gpu_aware: {
      for (std::string& reason : ranks.gather(gpu_aware_missing().value_or("")))
        if (!reason.empty()) return std::move(reason);
      return std::nullopt;
    }
    case Transport::nccl:
      return nccl_missing(ranks);
    case Transport::peer:
      try {
        const PeerMemory trial(ranks, 1);
        return std::nullopt;
      } catch (const core::Unavailable& missing) {
        return missing.what();
      }
  }
  throw std::logic_error("a transport without a test");
}

}  // namespace speedwell::comm

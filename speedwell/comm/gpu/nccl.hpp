// NCCL between ranks of which each has a GPU of its own. Loaded at the first use; headers of NCCL are not needed here.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <string>

#include "speedwell/comm/communicator.hpp"

namespace speedwell::comm {

/// Collective. Why these ranks cannot use NCCL, the same on all ranks; nothing if they can.
std::optional<std::string> nccl_missing(const Communicator& ranks);

/// A communicator of NCCL. Functions enqueue work on a stream, and throw core::DeviceError if NCCL fails. NCCL takes
/// seconds to connect GPUs, so that connections last until the process ends: the next communicator of the same ranks
/// and devices takes over those of one that has been destroyed.
class NcclCommunicator {
 public:
  /// Collective. For the current devices of the ranks. Throws core::Unavailable as nccl_missing(), and
  /// core::DeviceError.
  explicit NcclCommunicator(const Communicator& ranks);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  /// Ends the connections instead of keeping them if NCCL has failed or an exception is on its way: other ranks may
  /// still use them.
  ~NcclCommunicator();
  /// Whether it has the connections of an earlier communicator.
  bool is_reused() const { return reused_; }

  /// Messages between the two calls travel together.
  void begin_group() const;
  void end_group() const;
  void send(const void* bytes, std::size_t count, int to, cudaStream_t stream) const;
  void receive(void* bytes, std::size_t count, int from, cudaStream_t stream) const;
  /// Copies `count` doubles of each rank, in order, to every rank.
  void gather(const double* mine, double* all, std::size_t count, cudaStream_t stream) const;

 private:
  void* handle_ = nullptr;
  bool reused_ = false;
  std::string devices_, id_;  // of all ranks, in order; a name that no other communicator has
};

}  // namespace speedwell::comm

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

/// A communicator of NCCL. Functions enqueue work on a stream, and throw core::DeviceError if NCCL fails.
class NcclCommunicator {
 public:
  /// Collective. For the current devices of the ranks. Throws core::Unavailable as nccl_missing(), and
  /// core::DeviceError.
  explicit NcclCommunicator(const Communicator& ranks);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  ~NcclCommunicator();

  /// Messages between the two calls travel together.
  void begin_group() const;
  void end_group() const;
  void send(const void* bytes, std::size_t count, int to, cudaStream_t stream) const;
  void receive(void* bytes, std::size_t count, int from, cudaStream_t stream) const;
  /// Copies `count` doubles of each rank, in order, to every rank.
  void gather(const double* mine, double* all, std::size_t count, cudaStream_t stream) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace speedwell::comm

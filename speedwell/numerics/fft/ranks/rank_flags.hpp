// RankFlags: numbers that the GPU of each rank tells that of every rank, on streams and without the host. For CUDA
// sources only.
#pragma once

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft::gpu {

class RankFlags {
 public:
  static constexpr int max_ranks = 64;

  /// Collective. `kinds` independent sets of numbers, which are 0 at first. `ranks` must outlive the object. Throws
  /// core::Unavailable as comm::PeerMemory, and for more than 64 ranks.
  RankFlags(const comm::Communicator& ranks, int kinds);

  /// Enqueues a kernel that tells `number` to all ranks, this one included. Numbers of a kind must not fall. What
  /// earlier work of the stream has stored, on any GPU, is visible to who has waited for the number.
  void tell(int kind, unsigned long long number, cudaStream_t stream) const;
  /// Enqueues a kernel that ends when every rank has told a number of this kind that is not below `number`. Without one
  /// of them it gives up after 20 s, and all later ones do at once.
  void wait(int kind, unsigned long long number, cudaStream_t stream) const;
  /// Waits for the stream. Throws core::DeviceError, naming what the ranks wait for, if a wait() has given up.
  void check(const core::Stream& stream, const char* purpose) const;

 private:
  /// The numbers of a kind that rank `rank` reads: number r is written by rank r.
  unsigned long long* flags_of(int rank, int kind) const {
    return reinterpret_cast<unsigned long long*>(window_.of(rank)) + kind * max_ranks;
  }

  const comm::Communicator& ranks_;
  comm::PeerMemory window_;  // of a rank: the numbers that it reads
  core::DeviceBuffer<int> timed_out_;
};

}  // namespace speedwell::fft::gpu

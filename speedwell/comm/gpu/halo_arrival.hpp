// HaloArrival: the part of a halo that a neighbour stores into this rank's memory, for kernels that read it there and
// wait for it themselves. For CUDA sources only.
#pragma once

#include "speedwell/comm/gpu/peer_flags.hpp"

namespace speedwell::comm {

/// What kernels know of a message from a neighbour. Empty: there is no neighbour.
template <class Element>
struct HaloArrival {
  const Element* data = nullptr;             // the region in row-major order, of one field after the other
  const unsigned long long* flag = nullptr;  // number of the last message that is complete
  unsigned long long number = 0;             // of that which is waited for
  int* timed_out = nullptr;                  // set if a neighbour did not come
  unsigned long long* waited = nullptr;      // nanoseconds of all blocks, and blocks that waited

#ifdef __CUDACC__
  /// To be called by one thread of a block, before a barrier after which its block reads `data`, with loads that are
  /// not of the read-only path. Gives up after 20 s without the neighbour.
  __device__ void wait() const {
    if (!data) return;
    const unsigned long long begin = nanoseconds();
    wait_for_flag(flag, number, timed_out);
    atomicAdd(waited, nanoseconds() - begin);
    atomicAdd(waited + 1, 1ull);
  }
#endif
};

}  // namespace speedwell::comm

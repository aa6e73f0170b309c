// The slabs below and above this rank's, into whose ghost planes its kernels store what their own need: with
// comm::Transport::peer. For CUDA sources only.
//
// In each part of a step momentum stores the new third velocity of its last plane below the slab above, for the
// divergence there, and the projection all new velocities of its first and its last plane, for momentum in the next
// part. The kernels that read ghost planes start beside those of the neighbours; their blocks that need such a plane
// come last, and wait for a flag. No kernel waits for one that comes later on another rank.
//
// A ghost plane may be overwritten, since what it held has been read: a rank that is at a part has ended the part
// before it, for which its neighbours had to send the ends of their lines (slab_lines.hpp), after their momentum and
// divergence.
#pragma once

#include <cstdint>

#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_lines.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Pointers to flags and planes are null where there is no neighbour; planes are those of the fields that a part
/// computes, at their cell (0, 0).
template <class T>
struct SlabNeighbors {
  struct Arrival {
    const unsigned long long* from_below = nullptr;  // the number of the part whose plane from below has arrived
    const unsigned long long* from_above = nullptr;
  };
  struct Departure {
    unsigned long long* flag = nullptr;  // of the neighbour
    unsigned* done = nullptr;            // blocks of this rank that have stored
  };

  PartNumber number;
  T* plane_below[3] = {};  // the ghost plane of the slab below, after its last plane
  T* plane_above[3] = {};  // that of the slab above, before its first plane
  Arrival velocities, third_velocity;
  Departure velocities_below, velocities_above, third_velocity_above;
  int* timed_out = nullptr;              // set if a neighbour did not come
  unsigned long long* waited = nullptr;  // for each kind of wait, see below: nanoseconds, and number of blocks
};

/// The kinds of waits: for velocities, and for the third velocity.
constexpr int velocity_wait = 0, third_velocity_wait = 1, slab_wait_kinds = 2;

#ifdef __CUDACC__

/// For all threads of a block: waits until the flags that are not null have reached `number`. Returns 0, which loads of
/// what has arrived add to their addresses: they may be of the read-only path, and must not come before.
__device__ __forceinline__ int wait_for_planes(const unsigned long long* below, const unsigned long long* above,
                                               unsigned long long number, int* timed_out, unsigned long long* waited) {
  __shared__ int zero;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    const unsigned long long begin = comm::nanoseconds();
    unsigned long long seen = 0;
    const auto wait = [&](const unsigned long long* flag) {
      if (!flag) return;
      comm::wait_for_flag(flag, number, timed_out);
      seen |= comm::load_acquire(flag);
    };
    wait(below);
    wait(above);
    atomicAdd(waited, comm::nanoseconds() - begin);
    atomicAdd(waited + 1, 1ull);
    zero = seen == ~0ull;  // which no flag is
  }
  __syncthreads();
  return zero;
}

/// For all threads of a block, of which `blocks` do so: tells a neighbour when all have stored.
template <class Departure>
__device__ __forceinline__ void depart(const Departure& departure, unsigned blocks, unsigned long long number) {
  if (!departure.flag) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x > 0 || threadIdx.y > 0 || atomicAdd(departure.done, 1u) != blocks - 1) return;
  *departure.done = 0;
  __threadfence_system();
  comm::store_release(departure.flag, number);
}

#endif

}  // namespace speedwell::incompressible_flow::gpu

// The stack of open nodes of a warp: a ring buffer in shared memory, from which nodes can be taken at both ends. All
// member functions are collective over the warp.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/gpu/launch.hpp"

namespace speedwell::uts::device {

constexpr unsigned full_warp = 0xffffffffu;
constexpr unsigned stack_words = fields * stack_capacity;
static_assert((stack_capacity & (stack_capacity - 1)) == 0 && stack_capacity >= 2 * chunk_nodes + 32 &&
              chunk_nodes == 64);

class WarpStack {
 public:
  __device__ explicit WarpStack(std::uint32_t* words) : words_(words), lane_(threadIdx.x % 32) {}
  __device__ unsigned lane() const { return lane_; }
  __device__ unsigned size() const { return size_; }

  /// A word of the node at `position`; the oldest node is at 0.
  __device__ std::uint32_t& at(int field, unsigned position) {
    return words_[static_cast<unsigned>(field) * stack_capacity + ((bottom_ + position) & (stack_capacity - 1))];
  }

  /// Adds `count` nodes that have been written at positions size() and above.
  __device__ void push(unsigned count) {
    size_ += count;
    __syncwarp();
  }
  __device__ void pop(unsigned count) { size_ -= count; }
  __device__ void pop_oldest(unsigned count) {
    bottom_ += count;
    size_ -= count;
    __syncwarp();
  }

  /// Removes the `count` oldest nodes and writes them to `to`.
  __device__ void store(Chunk& to, unsigned count) {
    for (unsigned i = lane_; i < count; i += 32)
      for (int k = 0; k < fields; ++k) to.word[k][i] = at(k, i);
    pop_oldest(count);
  }
  /// Inserts `count` nodes below the oldest.
  __device__ void load(const Chunk& from, unsigned count) {
    bottom_ -= count;
    size_ += count;
    for (unsigned i = lane_; i < count; i += 32)
      for (int k = 0; k < fields; ++k) at(k, i) = *static_cast<const volatile std::uint32_t*>(&from.word[k][i]);
    __syncwarp();
  }

  /// Removes every other one of the oldest nodes: nearly the whole remaining subtree may lie below the very oldest, so
  /// taking a contiguous half would not split the work. Returns the number of nodes written to `to`.
  __device__ unsigned move_every_other(Chunk& to) {
    const unsigned pairs = min(size_ / 2, chunk_nodes);
    for (unsigned round = (pairs + 31) / 32; round-- > 0;) {  // the nodes that remain move up, the youngest first
      const unsigned pair = 32 * round + lane_;
      std::uint32_t kept[fields];
      if (pair < pairs)
        for (int k = 0; k < fields; ++k) {
          to.word[k][pair] = at(k, 2 * pair);
          kept[k] = at(k, 2 * pair + 1);
        }
      __syncwarp();
      if (pair < pairs)
        for (int k = 0; k < fields; ++k) at(k, pairs + pair) = kept[k];
      __syncwarp();
    }
    bottom_ += pairs;
    size_ -= pairs;
    return pairs;
  }
  /// Splits the only node of the stack: half of its children go to `to`. Returns 1, the number of nodes written.
  __device__ unsigned move_half_of_one(Chunk& to) {
    const unsigned has = at(left, 0), kept = has / 2;
    __syncwarp();
    if (lane_ < fields) {
      const std::uint32_t word = at(static_cast<int>(lane_), 0);
      to.word[lane_][0] = lane_ == next ? word + kept : lane_ == left ? has - kept : word;
    }
    __syncwarp();
    if (lane_ == 0) at(left, 0) = kept;
    __syncwarp();
    return 1;
  }

 private:
  std::uint32_t* words_;
  const unsigned lane_;
  unsigned bottom_ = 0, size_ = 0;
};

}  // namespace speedwell::uts::device

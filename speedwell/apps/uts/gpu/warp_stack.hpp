// A warp's stack of nodes in its part of shared memory: a ring, of which both ends are near. All lanes call together.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/gpu/launch.hpp"

namespace speedwell::uts::device {

constexpr unsigned whole_warp = 0xffffffffu;
constexpr unsigned stack_words = fields * stack_room;
static_assert((stack_room & (stack_room - 1)) == 0 && stack_room >= 2 * chunk_nodes + 32 && chunk_nodes == 64);

class WarpStack {
 public:
  __device__ explicit WarpStack(std::uint32_t* words) : words_(words), lane_(threadIdx.x % 32) {}
  __device__ unsigned lane() const { return lane_; }
  __device__ unsigned size() const { return size_; }

  /// A word of a node; the oldest is at 0.
  __device__ std::uint32_t& at(int field, unsigned place) {
    return words_[static_cast<unsigned>(field) * stack_room + ((bottom_ + place) & (stack_room - 1))];
  }

  /// After as many have been written at size() and above.
  __device__ void push(unsigned count) {
    size_ += count;
    __syncwarp();
  }
  __device__ void pop(unsigned count) { size_ -= count; }

  /// Takes the oldest out.
  __device__ void store(Chunk& to, unsigned count) {
    for (unsigned i = lane_; i < count; i += 32)
      for (int k = 0; k < fields; ++k) to.word[k][i] = at(k, i);
    bottom_ += count;
    size_ -= count;
    __syncwarp();
  }
  /// Below what the stack has.
  __device__ void load(const Chunk& from, unsigned count) {
    bottom_ -= count;
    size_ += count;
    for (unsigned i = lane_; i < count; i += 32)
      for (int k = 0; k < fields; ++k) at(k, i) = *static_cast<const volatile std::uint32_t*>(&from.word[k][i]);
    __syncwarp();
  }

  /// Of the oldest nodes every other goes, for nearly all that is to be found may lie below the very oldest.
  __device__ unsigned give_every_other(Chunk& letter) {
    const unsigned pairs = min(size_ / 2, chunk_nodes);
    for (unsigned round = (pairs + 31) / 32; round-- > 0;) {  // those that stay move up: the youngest first
      const unsigned pair = 32 * round + lane_;
      std::uint32_t kept[fields];
      if (pair < pairs)
        for (int k = 0; k < fields; ++k) {
          letter.word[k][pair] = at(k, 2 * pair);
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
  /// Of the one node there is, half of the children.
  __device__ unsigned give_half_of_one(Chunk& letter) {
    const unsigned has = at(left, 0), kept = has / 2;
    __syncwarp();
    if (lane_ < fields) {
      const std::uint32_t word = at(static_cast<int>(lane_), 0);
      letter.word[lane_][0] = lane_ == next ? word + kept : lane_ == left ? has - kept : word;
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

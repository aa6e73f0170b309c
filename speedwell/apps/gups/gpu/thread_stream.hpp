// A thread's segment of the stream, and a region of the table in shared memory. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/gups/gpu/launch.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups::device {

/// The segments of the stream that the threads of a kernel process in one batch.
struct StreamSegments {
  Word batch_start;  // the word that precedes the batch
  const Word* block_starts;
  const Word* thread_starts;
  std::uint64_t length;  // of the batch
  std::uint64_t updates_per_thread;

  /// The word that precedes the segment of this thread of block `block`.
  __device__ Word start(int block) const {
    return product(product(batch_start, block_starts[block]), thread_starts[threadIdx.x]);
  }
  /// Number of updates of this thread.
  __device__ std::uint64_t count(int block) const {
    const std::uint64_t first = (static_cast<std::uint64_t>(block) * blockDim.x + threadIdx.x) * updates_per_thread;
    return first >= length ? 0 : min(updates_per_thread, length - first);
  }
};

inline StreamSegments segments_of(const Operands& p, std::uint64_t batch) {
  const std::uint64_t first = batch * p.plan.batch;
  return {word(first), p.block_starts, p.thread_starts, min(p.plan.batch, p.problem.updates - first),
          p.plan.updates_per_thread};
}

/// The words of a region, or the updates of one that were accumulated, in shared memory. The halves of words are stored
/// separately, so that each update is two native atomic operations and lanes use all banks.
class SharedRegion {
 public:
  __device__ SharedRegion(unsigned* memory, unsigned words) : memory_(memory), words_(words) {}

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < 2 * words_; i += blockDim.x) memory_[i] = 0;
  }
  __device__ void set(unsigned i, Word x) {
    memory_[i] = static_cast<unsigned>(x);
    memory_[words_ + i] = static_cast<unsigned>(x >> 32);
  }
  __device__ Word get(unsigned i) const { return static_cast<Word>(memory_[words_ + i]) << 32 | memory_[i]; }
  __device__ void update(Word x) {
    const unsigned index = static_cast<unsigned>(x) & (words_ - 1);
    atomicXor(memory_ + index, static_cast<unsigned>(x));
    atomicXor(memory_ + words_ + index, static_cast<unsigned>(x >> 32));
  }
  /// Applies the accumulated updates to the region at `table`; atomically unless the block is its `exclusive` owner.
  __device__ void apply(Word* table, bool exclusive) const {
    for (unsigned i = threadIdx.x; i < words_; i += blockDim.x) {
      const Word updates = get(i);
      if (exclusive)
        table[i] ^= updates;
      else if (updates != 0)
        atomicXor(table + i, updates);
    }
  }

 private:
  unsigned* memory_;
  unsigned words_;
};

}  // namespace speedwell::gups::device

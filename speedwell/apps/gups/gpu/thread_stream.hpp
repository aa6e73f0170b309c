// A thread's stretch of the stream, and a region of the table in shared memory. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/gups/gpu/launch.hpp"
#include "speedwell/apps/gups/stream.hpp"

namespace speedwell::gups::device {

/// Where the threads of a kernel begin in one batch.
struct Stretches {
  Word batch_start;  // the word before the batch's first
  const Word* block_starts;
  const Word* thread_starts;
  std::uint64_t length;  // of the batch
  std::uint64_t each;

  /// The word before the first of this thread of block `block`.
  __device__ Word start(int block) const {
    return product(product(batch_start, block_starts[block]), thread_starts[threadIdx.x]);
  }
  /// Updates of this thread.
  __device__ std::uint64_t count(int block) const {
    const std::uint64_t first = (static_cast<std::uint64_t>(block) * blockDim.x + threadIdx.x) * each;
    return first >= length ? 0 : min(each, length - first);
  }
};

inline Stretches stretches_of(const Operands& p, std::uint64_t batch) {
  const std::uint64_t first = batch * p.plan.batch;
  return {word(first), p.block_starts, p.thread_starts, min(p.plan.batch, p.problem.updates - first), p.plan.each};
}

/// The changes of a region: halves of words apart, so that each is one native atomic operation and lanes use all banks.
class SharedRegion {
 public:
  __device__ SharedRegion(unsigned* memory, unsigned words) : memory_(memory), words_(words) {}

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < 2 * words_; i += blockDim.x) memory_[i] = 0;
  }
  __device__ void change(Word x) {
    const unsigned place = static_cast<unsigned>(x) & (words_ - 1);
    atomicXor(memory_ + place, static_cast<unsigned>(x));
    atomicXor(memory_ + words_ + place, static_cast<unsigned>(x >> 32));
  }
  /// Applies the changes to the region at `table`; others may do so at the same time unless it is `alone`.
  __device__ void apply(Word* table, bool alone) const {
    for (unsigned i = threadIdx.x; i < words_; i += blockDim.x) {
      const Word changes = static_cast<Word>(memory_[words_ + i]) << 32 | memory_[i];
      if (alone)
        table[i] ^= changes;
      else if (changes != 0)
        atomicXor(table + i, changes);
    }
  }

 private:
  unsigned* memory_;
  unsigned words_;
};

}  // namespace speedwell::gups::device

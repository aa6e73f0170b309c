// What every GPU variant is given, and their functions. Included by CUDA sources alone; gpu_solver.hpp puts the buffers
// and copies around them.
#pragma once

#include <cstdint>

#include "speedwell/apps/gups/gpu_plan.hpp"
#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::gups::device {

/// A word as CUDA's atomic functions know it.
using Word = unsigned long long;

/// All pointers are to device memory.
struct Operands {
  Problem problem;
  Plan plan;
  Word* table = nullptr;
  const Word* block_starts = nullptr;   // the stream's words before those of each block, from the batch's begin
  const Word* thread_starts = nullptr;  // the same of each thread, from its block's
  Word* coarse = nullptr;               // of Way::binned: the bins, and the updates that came to each
  Word* fine = nullptr;
  unsigned* coarse_fill = nullptr;
  unsigned* fine_fill = nullptr;
};

/// T[i] = i.
void initialise(Word* table, std::uint64_t words, const core::Stream& stream);

/// Enqueues all updates on `stream`. Every GPU variant is one function of this type.
using Update = void(const Operands& p, const core::Stream& stream);
Update update_directly;  // Way::direct and Way::windows
Update update_regions;   // Way::regions
Update update_binned;    // Way::binned

inline Update* function_of(Way way) {
  if (way == Way::regions) return update_regions;
  return way == Way::binned ? update_binned : update_directly;
}

/// What a block of Way::regions or of the last step of Way::binned has of shared memory.
constexpr int region_bytes = 8 << log2_region_words;

}  // namespace speedwell::gups::device

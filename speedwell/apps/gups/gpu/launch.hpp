// Operands and entry points of the GPU variants. Included by CUDA sources only; gpu_solver.hpp manages the buffers and
// copies.
#pragma once

#include <cstdint>

#include "speedwell/apps/gups/gpu_plan.hpp"
#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::gups::device {

/// A word of the type that CUDA's atomic functions take.
using Word = unsigned long long;

/// All pointers are to device memory.
struct Operands {
  Problem problem;
  Plan plan;
  Word* table = nullptr;  // the words of the plan's parts
  const Word* block_starts =
      nullptr;  // words of the stream that precede each block, relative to the begin of the batch
  const Word* thread_starts = nullptr;  // the same for each thread, relative to its block
  Word* coarse = nullptr;               // the bins, and the numbers of updates they received
  Word* fine = nullptr;
  unsigned* coarse_fill = nullptr;
  unsigned* fine_fill = nullptr;
};

/// Sets the `words` words from T[first] = first on.
void initialise(Word* table, std::uint64_t first, std::uint64_t words, const core::Stream& stream);

/// Enqueues all updates on `stream`; the common type of all GPU variants.
using Update = void(const Operands& p, const core::Stream& stream);
Update update_directly;  // Method::direct and Method::windows
Update update_regions;   // Method::regions
Update update_binned;    // Method::binned and Method::parts

inline Update* function_of(Method method) {
  if (method == Method::regions) return update_regions;
  return method == Method::binned || method == Method::parts ? update_binned : update_directly;
}

/// Shared memory of a block of Method::regions and of the last pass of binned updates.
constexpr int region_bytes = 8 << log2_region_words;

}  // namespace speedwell::gups::device

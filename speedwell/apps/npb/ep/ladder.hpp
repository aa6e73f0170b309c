// The table of the GPU variants of EP, without CUDA: names, and what each adds to the one before.
#pragma once

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::npb::ep {

struct Step : core::LadderStep {
  bool same_bits_every_time = true;
};

inline constexpr Step steps[] = {
    {{"cuda-atomic", "consecutive pairs per thread, whose sums and counts are added to the result by atomic operations",
      "EP of the 2018 study"},
     false},
    {{"cuda-reduced",
      "a reduction over the threads of a block, and one over blocks by a second kernel: bitwise reproducible"}},
    {{"cuda-compacted",
      "accepted pairs are compacted in shared memory, so that whole warps compute logarithms and roots"}},
    {{"cuda",
      "32-bit products, logarithms from a table in shared memory, inverse roots without division; no compaction"}},
};

}  // namespace speedwell::npb::ep

// The GPU variants of EP as a table that knows no CUDA: names, and what each adds to the one before.
#pragma once

#include <string_view>

namespace speedwell::npb::ep {

struct Step {
  std::string_view name;
  std::string_view description;
  std::string_view lineage = {};
  bool same_bits_every_time = true;
};

inline constexpr Step steps[] = {
    {"cuda-atomic", "a run of pairs for each thread, whose sums and counts go to the result by atomic additions",
     "EP of the 2018 study", false},
    {"cuda-reduced", "threads' results added up in the block, the blocks' by one more block: the same bits every time"},
    {"cuda-compacted", "accepted pairs handed on in shared memory, so that whole warps take logarithms and roots"},
    {"cuda", "products of 32 bits, logarithms from a table in shared memory, roots without division; no compaction"},
};

}  // namespace speedwell::npb::ep

// The GPU variants as a table that knows no CUDA.
#pragma once

#include <string_view>

namespace speedwell::uts {

enum class Way {
  levels,  // one depth after another
  stacks,  // depth first, in every warp
};

struct Step {
  std::string_view name;
  std::string_view adds;
  Way way;
};

inline constexpr Step steps[] = {
    {"cuda-levels", "one level of the tree after another, a node for each thread, the next level's appended to a list",
     Way::levels},
    {"cuda",
     "depth first in every warp: 32 children hashed at once from a stack in shared memory; nodes given on request",
     Way::stacks},
};

}  // namespace speedwell::uts

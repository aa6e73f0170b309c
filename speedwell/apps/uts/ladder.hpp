// The table of GPU variants, free of CUDA.
#pragma once

#include <string_view>

namespace speedwell::uts {

enum class Method {
  levels,  // breadth first
  stacks,  // depth first, with a stack per warp
};

struct Step {
  std::string_view name;
  std::string_view description;
  Method method;
};

inline constexpr Step steps[] = {
    {"cuda-levels", "breadth first: one level after the other, a node per thread, open nodes appended to a list",
     Method::levels},
    {"cuda", "depth first: a stack per warp in shared memory, 32 children hashed at once, work stealing",
     Method::stacks},
};

}  // namespace speedwell::uts

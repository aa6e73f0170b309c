// The table of GPU variants. It includes no CUDA headers, so that builds without CUDA list the variants, too.
#pragma once

#include "speedwell/apps/uts/gpu_tuning.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::uts {

struct Step : core::LadderStep {
  Method method;
};

inline constexpr Step steps[] = {
    {{"cuda-levels", "breadth first: one level after the other, a node per thread, open nodes appended to a list"},
     Method::breadth_first},
    {{"cuda", "depth first: a stack per warp in shared memory, 32 children hashed at once, work stealing"},
     Method::depth_first},
};

}  // namespace speedwell::uts

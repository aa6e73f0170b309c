// The GPU variants in the order of the ladder. The table does not depend on CUDA: a build without it lists them, too.
#pragma once

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::new_application {

using Step = core::LadderStep;

/// The last one, `cuda`, is the recommended implementation. launch_of() of cuda.hpp has their functions.
inline constexpr Step steps[] = {
    {"cuda", "one element per thread"},
};

}  // namespace speedwell::new_application

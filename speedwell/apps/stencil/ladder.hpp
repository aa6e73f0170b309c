// Table of the GPU variants of one product, independent of CUDA.
#pragma once

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::stencil {

using Step = core::LadderStep;

inline constexpr Step steps[] = {
    {"cuda-naive", "one thread per cell, every operand from global memory"},
    {"cuda-tile",
     "16 x 16 cells and their halo in shared memory, plane after plane; planes above and below in registers",
     "section 5.3"},
    {"cuda",
     "streaming along z through a ring buffer of planes in shared memory, filled by asynchronous copies; shuffles "
     "along x"},
};

}  // namespace speedwell::stencil

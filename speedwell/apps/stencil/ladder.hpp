// Table of the GPU variants of one product, independent of CUDA.
#pragma once

#include <string_view>

namespace speedwell::stencil {

struct Step {
  std::string_view name;
  std::string_view description;
  std::string_view lineage = {};
};

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

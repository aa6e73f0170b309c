// The GPU variants of one product as a table that knows no CUDA.
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
    {"cuda-tile", "16 x 16 cells and their rim in shared memory, plane after plane, those above and below in registers",
     "section 5.3"},
    {"cuda",
     "marching along z through a ring of planes in shared memory, filled by asynchronous copies; shuffles along x"},
};

/// Those of conjugate gradients before cuda-passes.
inline constexpr Step cg_steps[] = {
    {"cuda-naive", "a kernel for each line of the method; sums go to the host by copies"},
    {"cuda-tile", "the product by tiles in shared memory"},
    {"cuda-fused", "sums by the kernels whose results they are of; the product by the march", "fused dot products"},
    {"cuda-pinned", "sums are copied to page-locked memory", "pinned"},
    {"cuda-mapped", "kernels write their sums to the host's memory themselves", "mapped"},
};

}  // namespace speedwell::stencil

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

/// The variants of conjugate gradients before cuda-passes.
inline constexpr Step cg_steps[] = {
    {"cuda-naive", "a kernel per line of the method; sums are copied to the host"},
    {"cuda-tile", "products with tiles in shared memory"},
    {"cuda-fused", "reductions fused with the kernels that compute their terms; product fused with its dot product",
     "fused dot products"},
    {"cuda-pinned", "sums are copied to page-locked memory", "pinned"},
    {"cuda-mapped", "kernels write sums directly to mapped host memory", "mapped"},
};

}  // namespace speedwell::stencil

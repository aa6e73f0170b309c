// Table of the GPU variants before cuda-passes, independent of CUDA.
#pragma once

#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::cg {

/// The variants of the study, and what lies between them and cuda-passes.
inline constexpr stencil::Step steps[] = {
    {"cuda-naive", "a kernel per line of the method; sums are copied to the host"},
    {"cuda-tile", "products with tiles in shared memory"},
    {"cuda-fused", "reductions fused with the kernels that compute their terms; product fused with its dot product",
     "fused dot products"},
    {"cuda-pinned", "sums are copied to page-locked memory", "pinned"},
    {"cuda-mapped", "kernels write sums directly to mapped host memory", "mapped"},
};

}  // namespace speedwell::cg

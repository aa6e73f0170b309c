// The GPU variants as a table without CUDA. Their functions are in gpu/; adapter_cuda.cpp connects the two.
#pragma once

#include "speedwell/apps/two_stream/problem.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::two_stream {

struct Step : core::LadderStep {
  Kernel kernel;  // "cuda" supports all of them
};

inline constexpr Step steps[] = {
    {{"cuda-isolated",
      "the function only: a thread per (column, layer), blocks of 1 x 16, all data across the link in every call",
      "FAMOUS with transfers"},
     Kernel::coefficients},
    {{"cuda-resident", "the same kernel with its data left on the device", "FAMOUS kernel"}, Kernel::coefficients},
    {{"cuda-separate", "three passes over memory: coefficients of all layers, columns, sums"}, Kernel::column},
    {{"cuda", "threads along the columns; columns in one pass: coefficients, elimination and sums on chip"},
     Kernel::column},
};

}  // namespace speedwell::two_stream

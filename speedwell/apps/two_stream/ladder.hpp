// The GPU variants as a table without CUDA. Their functions are in gpu/; adapter_cuda.cpp connects the two.
#pragma once

#include <string_view>

#include "speedwell/apps/two_stream/problem.hpp"

namespace speedwell::two_stream {

struct Step {
  std::string_view name;
  Kernel kernel;  // "cuda" supports both
  std::string_view description;
  std::string_view lineage = {};
};

inline constexpr Step steps[] = {
    {"cuda-isolated", Kernel::coefficients,
     "the function only: a thread per (column, layer), blocks of 1 x 16, all data across the link in every call",
     "FAMOUS with transfers"},
    {"cuda-resident", Kernel::coefficients, "the same kernel with its data left on the device", "FAMOUS kernel"},
    {"cuda-separate", Kernel::column, "three passes over memory: coefficients of all layers, columns, sums"},
    {"cuda", Kernel::column,
     "threads along the columns; columns in one pass: coefficients, elimination and sums on chip"},
};

}  // namespace speedwell::two_stream

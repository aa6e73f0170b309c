// The GPU variants as a table that knows no CUDA: names, and what each adds to the one before. The first four are the
// steps of the paper. gpu_solver.hpp runs them.
#pragma once

#include <string_view>

namespace speedwell::wavefront {

struct Step {
  std::string_view name;
  std::string_view adds;
  std::string_view lineage = {};  // the column of table II or III of the paper
};

inline constexpr Step steps[] = {
    {"cuda-naive", "blocks of 8 x 8 x 8 cells, a thread for each; a kernel for each diagonal of blocks", "naive"},
    {"cuda-recycled", "a thread for each row of a larger block, which it goes along: every thread works in most steps",
     "thread recycling"},
    {"cuda-rearranged", "each block in the order of its hyperplanes, put there and back by kernels of their own",
     "data rearrangement"},
    {"cuda-shared", "neighbours' values handed on in shared memory, slots used again in every step", "shared memory"},
    {"cuda-subtraction", "the remainder by exact subtractions instead of the library's fmod"},
    {"cuda-graph", "all kernels of a sweep launched at once as a graph"},
    {"cuda-cooperative", "one kernel, whose blocks wait for each other after every diagonal"},
    {"cuda", "tiles of whole rows in registers, released by their neighbours' progress; the grid stays as it is"},
};

}  // namespace speedwell::wavefront

// The GPU variants as a table that knows no CUDA: names, and what each adds to the one before. The first four are the
// steps of the paper. gpu_solver.hpp runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront {

struct Step {
  std::string_view name;
  std::string_view description;
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
    {"cuda", "tiles of whole rows in registers, which hand on their faces to the next; the grid stays as it is"},
};

/// Cells along each edge of a block of the steps between the first and the last, unless the caller chooses.
inline constexpr int usual_block = 8;
/// On a GPU an extent is at most this: so that 32 bits hold what is counted along an axis.
inline constexpr std::int64_t most_gpu_extent = std::int64_t{1} << 30;

/// Bytes of device memory that a step takes, the grid as it was given among them. `element`: bytes of a cell.
double device_bytes(const Extents& extents, std::size_t element, std::string_view step, const GpuOptions& options = {});

}  // namespace speedwell::wavefront

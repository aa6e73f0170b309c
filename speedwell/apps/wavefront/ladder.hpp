// Table of the GPU variants, independent of CUDA: their names and what each adds to the one before. The first four are
// the steps of the paper. gpu_solver.hpp executes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "speedwell/apps/wavefront/gpu_options.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/ladder_step.hpp"

namespace speedwell::wavefront {

using Step = core::LadderStep;  // the lineage is a column of Table II or III of the paper

inline constexpr Step steps[] = {
    {"cuda-naive", "blocks of 8 x 8 x 8 cells, a thread per cell; a kernel per diagonal of blocks", "naive"},
    {"cuda-recycled", "a thread per row of a block, which it processes cell by cell: every thread works in most steps",
     "thread recycling"},
    {"cuda-rearranged", "blocks stored in hyperplane order, converted to it and back by separate kernels",
     "data rearrangement"},
    {"cuda-shared", "neighbours' values exchanged through shared memory, with slots reused in every step",
     "shared memory"},
    {"cuda-subtraction", "remainders by exact subtractions instead of the library's fmod"},
    {"cuda-graph", "all kernels of a sweep launched as one CUDA graph"},
    {"cuda-cooperative", "one cooperative kernel with a grid-wide barrier after every diagonal"},
    {"cuda", "resident tiles of whole rows that send their faces to each other; the grid keeps its layout"},
};

/// Default edge length, in cells, of the blocks of the variants between the first and the last.
inline constexpr int default_block = 8;
/// Largest extent on a GPU, so that all indices along an axis fit in 32 bits.
inline constexpr std::int64_t max_gpu_extent = std::int64_t{1} << 30;

/// GPUs that sweep a grid together (gpu_distributed.hpp): comm::DeviceSums has no more.
inline constexpr int max_gpus = 16;

/// Bytes of device memory that a variant allocates, including the copy of the initial grid. `element` is the size of a
/// cell in bytes.
double device_bytes(const Extents& extents, std::size_t element, std::string_view step, const GpuOptions& options = {});

}  // namespace speedwell::wavefront

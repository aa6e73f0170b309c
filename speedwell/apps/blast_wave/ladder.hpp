// The GPU variants in the order in which each adds an idea: the table that the harness, the tests and the solver read.
#pragma once

#include <string_view>

namespace speedwell::blast_wave {

/// Where the entries of the blocks come from when a product needs them.
enum class BlockSource { f64, f32, recomputed };

struct Step {
  std::string_view name, adds, lineage;
  BlockSource blocks;
};

inline constexpr Step steps[] = {
    {"cuda-streamed",
     "blocks in tiles of 32 points that stream, one thread a point, sums inside the products, nothing on the host", "",
     BlockSource::f64},
    {"cuda-f32-blocks",
     "blocks in f32 with vectors in f64; iterations go on from the residual of the exact blocks where it is too large",
     "", BlockSource::f32},
    {"cuda", "no blocks: what they do to a vector is computed from the state, which stays near the processors", "",
     BlockSource::recomputed},
};

}  // namespace speedwell::blast_wave

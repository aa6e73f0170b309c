// The GPU variants in the order in which each adds an idea: the table that the harness, the tests and the solver read.
#pragma once

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::blast_wave {

/// The source of the blocks' entries in a product: stored in f64 or f32, or recomputed.
enum class BlockSource { f64, f32, recomputed };

/// The article's implementations: interleaved variables and blocks, five reductions per iteration that end on the host,
/// the right-hand side on the host. They differ in the work of a block of threads in a product.
enum class PublishedVariant {
  none,
  one_point,    // 25 threads per point
  five_points,  // 125 threads for five points along x
  ribbon,       // the same, marching along z and reusing the planes that the next points need
  concurrent,   // the same; the device computes the blocks while the host computes the right-hand side
};

struct Step : core::LadderStep {
  BlockSource blocks = BlockSource::f64;
  PublishedVariant article = PublishedVariant::none;
};

inline constexpr Step steps[] = {
    {{"cuda-one-point",
      "a block of 25 threads per point, one per entry; reductions end on the host, which computes the right-hand side",
      "25 threads"},
     BlockSource::f64,
     PublishedVariant::one_point},
    {{"cuda-five-points", "125 threads for five points along x, whose neighbours they share", "125 threads"},
     BlockSource::f64,
     PublishedVariant::five_points},
    {{"cuda-ribbon", "blocks of threads march along z and reuse the planes of the vector for the next points",
      "ribbon, serial"},
     BlockSource::f64,
     PublishedVariant::ribbon},
    {{"cuda-concurrent", "the device computes the blocks while the host computes the right-hand side",
      "ribbon, concurrent"},
     BlockSource::f64,
     PublishedVariant::concurrent},
    {{"cuda-streamed",
      "streamed blocks in tiles of 32 points, one thread per point, reductions fused with products, nothing on the "
      "host"},
     BlockSource::f64},
    {{"cuda-f32-blocks",
      "blocks in f32 with vectors in f64; iterations restart from the residual of exact blocks while it is too large"},
     BlockSource::f32},
    {{"cuda", "matrix-free: products are computed from the state, which stays in the caches"}, BlockSource::recomputed},
};

}  // namespace speedwell::blast_wave

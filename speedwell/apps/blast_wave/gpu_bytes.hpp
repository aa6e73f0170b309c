// Device memory of the GPU solvers. This header includes no CUDA, so that builds without it can estimate it, too.
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/point.hpp"

namespace speedwell::blast_wave {

/// Bytes of one real number in f64.
inline constexpr double f64_bytes = 8;
/// Scalars, small workspaces, and what an allocation is rounded up by.
inline constexpr double small_buffer_bytes = 1 << 20;

/// Device bytes of GpuSolver. Per point: ten vectors of five variables, the dissipation strengths of three faces, the
/// entries of the blocks if they are stored, and at most one byte of partial sums. Per step: a record of the history.
inline double gpu_bytes(const Extents& e, BlockSource blocks, int max_steps) {
  const double block_bytes = blocks == BlockSource::f64 ? 8.0 : blocks == BlockSource::f32 ? 4.0 : 0.0;
  return static_cast<double>(rounded(e.points())) * (10 * 5 * f64_bytes + 3 * f64_bytes + entries * block_bytes + 1) +
         static_cast<double>(max_steps) * sizeof(StepRecord) + small_buffer_bytes;
}

/// Device bytes of the variants of the article (PublishedVariant) and of those that use libraries. Per point: nine
/// vectors of five variables, the dissipation strengths of three faces, the entries of the blocks in f64, and eight
/// 32-bit integers for the row offset and the columns of the seven blocks.
inline double article_bytes(const Extents& e) {
  return static_cast<double>(rounded(e.points())) *
             (9 * 5 * f64_bytes + 3 * f64_bytes + entries * f64_bytes + 8 * sizeof(int)) +
         small_buffer_bytes;
}

}  // namespace speedwell::blast_wave

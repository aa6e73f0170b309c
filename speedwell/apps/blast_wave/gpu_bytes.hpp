// Device memory of the solvers on a GPU, also for estimates in builds without CUDA.
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/point.hpp"

namespace speedwell::blast_wave {

/// Device bytes of GpuSolver: ten vectors of five variables, faces, blocks, sums and the history.
inline double gpu_bytes(const Extents& e, BlockSource blocks, int max_steps) {
  const double block_bytes = blocks == BlockSource::f64 ? 8.0 : blocks == BlockSource::f32 ? 4.0 : 0.0;
  return static_cast<double>(rounded(e.points())) * (5 * 8 * 10.0 + 3 * 8 + entries * block_bytes + 1) +
         static_cast<double>(max_steps) * sizeof(StepRecord) + (1 << 20);
}

/// Device bytes of the article's and the libraries' variants: nine vectors, faces and blocks with their columns.
inline double article_bytes(const Extents& e) {
  return static_cast<double>(rounded(e.points())) * (5 * 8 * 9.0 + 3 * 8 + entries * 8.0 + 8 * 4) + (1 << 20);
}

}  // namespace speedwell::blast_wave

// What the solver on a GPU takes, for plans of a build without CUDA, too.
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/point.hpp"

namespace speedwell::blast_wave {

/// Device bytes: ten vectors of five variables, faces, blocks, sums and the history.
inline double gpu_bytes(const Extents& e, BlockSource blocks, int max_steps) {
  const double block_bytes = blocks == BlockSource::f64 ? 8.0 : blocks == BlockSource::f32 ? 4.0 : 0.0;
  return static_cast<double>(rounded(e.points())) * (5 * 8 * 10.0 + 3 * 8 + entries * block_bytes + 1) +
         static_cast<double>(max_steps) * sizeof(StepRecord) + (1 << 20);
}

/// Of the article's way and the libraries': nine vectors, faces and blocks with their columns.
inline double article_bytes(const Extents& e) {
  return static_cast<double>(rounded(e.points())) * (5 * 8 * 9.0 + 3 * 8 + entries * 8.0 + 8 * 4) + (1 << 20);
}

}  // namespace speedwell::blast_wave

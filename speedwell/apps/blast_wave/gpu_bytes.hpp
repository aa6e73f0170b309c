// What the solver on a GPU takes, for plans of a build without CUDA, too.
#pragma once

#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/point.hpp"

namespace speedwell::blast_wave {

/// Device bytes: nine vectors of five variables (ten with blocks in f32), faces, blocks, sums and the history.
inline double gpu_bytes(const Extents& e, BlockSource blocks, int most_steps) {
  const double block_bytes = blocks == BlockSource::f64 ? 8.0 : blocks == BlockSource::f32 ? 4.0 : 0.0;
  const double vectors = blocks == BlockSource::f32 ? 10 : 9;
  return static_cast<double>(rounded(e.points())) * (5 * 8 * vectors + 3 * 8 + entries * block_bytes + 1) +
         static_cast<double>(most_steps) * sizeof(StepRecord) + (1 << 20);
}

}  // namespace speedwell::blast_wave

// The choice of a compiled kernel for the bands of one pair of long sequences, by an estimate of its time (band.hpp has
// the sweep). Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"

namespace speedwell::alignment {

/// A kernel, and how it is launched: one block per multiprocessor.
struct BandChoice {
  BandVariant variant{};
  int warps = 0;    // warps of a block, each of which sweeps one band at a time
  Window window{};  // the range of scores within a band that 16 bits hold
};

/// What the estimate depends on. Each GPU of a team makes the choice by itself, and all must come to the same: a team
/// consists of GPUs of one model.
struct BandChoiceInput {
  std::int64_t rows = 0, columns = 0;  // residues of the query and of the subject
  int classes = 0, highest = 0;        // classes of residues with padding, and the highest score of two residues
  std::size_t shared_bytes = 0;        // maximum of a block
  int multiprocessors = 0;             // of all GPUs that sweep the pair
};

/// The kernel with the shortest expected time of those that `tuning` permits, whose registers and shared memory fit,
/// and whose scores fit 16 bits. Throws std::invalid_argument if there is none.
BandChoice choose_bands(const BandChoiceInput& input, const Scoring& scoring, const GpuPairTuning& tuning);

}  // namespace speedwell::alignment

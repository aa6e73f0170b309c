// The choice of a kernel for the bands of one huge pair. Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"

namespace speedwell::alignment {

struct BandChoice {
  BandVariant variant{};
  int warps = 0;  // of a block
  Window window{};
};

/// The lengths of a pair, the classes of its residues, and the device.
struct BandChoiceInput {
  std::int64_t rows = 0, columns = 0;
  int classes = 0, highest = 0;
  std::size_t shared_bytes = 0;  // of a block
  int multiprocessors = 0;       // of all GPUs that sweep the pair
};

/// The kernel that is expected to be the fastest of those that `tuning` permits. Throws std::invalid_argument if there
/// is none.
BandChoice choose_bands(const BandChoiceInput& input, const Scoring& scoring, const GpuPairTuning& tuning);

}  // namespace speedwell::alignment

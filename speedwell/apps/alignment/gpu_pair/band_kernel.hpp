// Launches of the sweep of one huge pair (band.hpp). Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_scores.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

/// GPUs that sweep the bands of a pair together.
inline constexpr int max_pair_gpus = 16;

/// A pair on the device, and the communication between its bands. Several GPUs take the bands in turn: band b is of GPU
/// b mod `gpus`, reads the row above it from the memory of its GPU, and stores its last row and its progress in that of
/// the next. All pointers are as kernels of this GPU address the memory.
struct BandLaunch {
  BandProblem problem{};
  std::int64_t bands = 0;
  const std::int8_t* class_scores = nullptr;  // classes x classes
  int gap_open = 0, gap_extend = 0;
  unsigned long long* next_band = nullptr;
  unsigned long long* known = nullptr;  // best score so far in the high half, below it 2^32 - 1 - its band
  long long* progress = nullptr;        // finished chunks per band, of those whose row this GPU reads
  long long* progress_below = nullptr;  // the same of the GPU that has the next band; `progress` if there is one GPU
  int gpu = 0, gpus = 1;
  // With several GPUs, the values of `known` of all in the memory of this one, and of this one in the memory of each.
  // That of another GPU may be late: any score that has been found anywhere is a valid bound.
  unsigned long long* known_from = nullptr;
  unsigned long long* known_to[max_pair_gpus] = {};
  int* timed_out = nullptr;            // set if another GPU did not come
  std::uint32_t* candidate = nullptr;  // saved_words per warp
  BandBest* results = nullptr;         // per band; score 0 if the pair's best is not in it
};

/// A compiled kernel. A multiprocessor has one block of up to `max_warps` warps.
struct BandVariant {
  bool pair_table;  // PairScores, otherwise ResidueScores
  int strip_rows;   // R: a band has 64 of them
  int max_warps;
  int max_classes() const { return pair_table ? PairScores::max_classes : ResidueScores::max_classes; }
};
std::span<const BandVariant> band_variants();

/// Warps of a block that registers and `shared_bytes` allow; 0 if not even one.
int warps_of_block(const BandVariant& variant, int classes, std::size_t shared_bytes);

/// Words of memory per warp.
std::size_t saved_words(const BandVariant& variant);

/// Codes copied from the host, and their destination.
struct BandSequences {
  const std::uint8_t* query_codes;
  const std::uint8_t* subject_codes;
  std::uint8_t* query;     // as in BandProblem
  std::uint16_t* columns;  // columns_before + chunks * chunk_columns + columns_after entries
  std::uint8_t of_code[code_limit];
};
/// Fills `sequences.query` and `sequences.columns`.
void enqueue_encoding(const BandVariant& variant, const BandSequences& sequences, const BandProblem& problem,
                      const core::Stream& stream);

/// Resets the progress, the scores and the checks on this GPU. No GPU may begin before all have done so.
void enqueue_band_reset(const BandLaunch& launch, const core::Stream& stream);
/// Sweeps all bands of this GPU, in one kernel of `blocks` blocks, after enqueue_band_reset().
void enqueue_bands(const BandVariant& variant, const BandLaunch& launch, int blocks, int warps,
                   const core::Stream& stream);

}  // namespace speedwell::alignment

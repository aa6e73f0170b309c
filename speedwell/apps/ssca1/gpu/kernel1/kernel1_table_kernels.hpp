// The launches of GpuTable, between kernel1_table_kernels.cu (kernels) and kernel1_table.cu (memory). All pointers are
// to device memory.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_rounds.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::ssca1 {

struct RoundLaunch {
  CellWidth width = CellWidth::bits11;
  int strip_rows = 0, multiprocessors = 0, shared_bytes = 0;
  SectionRound round;
  bool peaks = true;
  RoundSummary* summary = nullptr;
  std::int32_t* differing = nullptr;  // the differing pairs, as many as the summary says
  std::uint32_t* selected = nullptr;  // the spans, likewise
  FoundCell* found = nullptr;
  unsigned long long capacity = 0;
};

/// Sweeps all pairs from the empty state.
void enqueue_sweep(const RoundLaunch& launch, const core::Stream& stream);
/// Repeats the first `pairs` of the differing ones from the final states of their neighbours.
void enqueue_repeat(const RoundLaunch& launch, std::int32_t pairs, const core::Stream& stream);
/// Compares and counts: writes differing, and the summary except for found, selected and threshold, which are set to 0.
void enqueue_examine(const RoundLaunch& launch, const ThresholdChoice& choice, const core::Stream& stream);
/// Writes the threshold and `selected`. This function and the next do nothing if pairs differ or scores have
/// overflowed.
void enqueue_choose(const RoundLaunch& launch, const ThresholdChoice& choice, const core::Stream& stream);
/// Writes found for the spans selected[first … last - 1], or as many of these as there are.
void enqueue_refine(const RoundLaunch& launch, std::uint32_t first, std::uint32_t last, const core::Stream& stream);
/// Writes the final state of the round as SectionRound::before of the next one.
void enqueue_end(const RoundLaunch& launch, std::uint32_t* before, const core::Stream& stream);

}  // namespace speedwell::ssca1

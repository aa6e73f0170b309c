// The memory and the sections of the steps before GpuTable (kernel1_gpu_steps.hpp), computed on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_decaying_maximum.hpp"

namespace speedwell::ssca1 {

/// cuda-rows: columns of a tile, eight of each thread of a block.
inline constexpr int row_threads = 256, row_items = 8, row_tile = row_threads * row_items;
/// cuda-sections: warps of a block, which share the profile of match.
inline constexpr int section_warps = 4;
/// cuda-sections: rows of match of a lane, so that two blocks fit the shared memory and the registers of a
/// multiprocessor, and a short match occupies more lanes.
constexpr int overlapping_strip_rows(std::int64_t rows, int symbols) { return rows <= 32 * 8 || symbols > 64 ? 8 : 16; }

/// Candidates that are listed in a pass.
inline constexpr std::uint64_t step_list_capacity = 1 << 20;

/// Rows have this many columns in memory, so that no access has to be guarded: those after the last one of main belong
/// to symbol 0. Nothing in a table depends on the columns to its right.
constexpr std::int64_t padded_columns(std::int64_t columns) { return (columns + row_tile - 1) / row_tile * row_tile; }
static_assert(row_tile % sweep_elements == 0);

/// Elements of the levels of cuda-sweeps.
struct SweepSizes {
  int count = 0;
  std::int64_t elements[max_sweep_levels] = {};
};
constexpr SweepSizes sweep_sizes(std::int64_t padded) {
  SweepSizes sizes;
  for (std::int64_t n = padded;; n = (n + sweep_elements - 1) / sweep_elements) {
    sizes.elements[sizes.count++] = n;
    if (n <= sweep_elements || sizes.count == max_sweep_levels) return sizes;
  }
}

/// cuda-sections: how main is divided. In steps of two columns, as SectionRound.
struct OverlapPlan {
  std::int32_t tiles = 1, sections = 1, lead = 0;
};
/// A section starts so many steps early that the longest alignment with the minimum score fits, which may begin in the
/// first row of the table and end in the last: lanes are as many steps behind the first one. With few multiprocessors'
/// worth of columns a section is shorter than its lead, and only as many warps are used as hide each other's latency.
inline OverlapPlan plan_overlap(std::int64_t columns, std::int64_t rows, const Scoring& scoring,
                                std::int32_t minimum_score, int strip_rows, int multiprocessors) {
  OverlapPlan plan;
  plan.tiles = static_cast<std::int32_t>(std::max<std::int64_t>(1, (rows + 32 * strip_rows - 1) / (32 * strip_rows)));
  const std::int64_t steps = (columns + 1) / 2 + 32 * std::int64_t{plan.tiles};  // of the whole table
  const auto overlap = rows > 0 ? required_overlap(scoring, rows, minimum_score) : 0;
  if (!overlap) return plan;
  const std::int64_t lead = (*overlap + 2) / 2 + 32 * std::int64_t{plan.tiles};
  if (lead >= steps) return plan;
  plan.lead = static_cast<std::int32_t>((lead + 1) / 2 * 2);
  constexpr std::int64_t shortest = 64, max_leads = std::int64_t{1} << 25;  // borders of all leads: 1 GiB
  const std::int64_t four = std::int64_t{section_warps} * multiprocessors;
  const std::int64_t wanted = steps / (2 * four) >= lead ? 2 * four : four;
  plan.sections = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, std::min({wanted, steps / shortest, max_leads / std::max<std::int64_t>(1, lead)})));
  return plan;
}

/// What a step allocates, in elements; in addition to main, match, the scores and the list of candidates.
struct StepMemory {
  std::int64_t cells = 0;       // numbers of 32 bits
  std::int64_t tile_words = 0;  // words of 64 bits
  std::int64_t borders = 0;     // of two columns
};
inline StepMemory step_memory(std::string_view step, std::int64_t columns, std::int64_t rows,
                              const OverlapPlan& overlap) {
  const std::int64_t padded = padded_columns(columns);
  if (step == "cuda-diagonals") return {.cells = 6 * (rows + 1)};
  if (step == "cuda-sweeps") {
    StepMemory memory{.cells = 4 * padded};
    const SweepSizes sizes = sweep_sizes(padded);
    for (int level = 0; level < sizes.count; ++level) memory.cells += sizes.elements[level];
    return memory;
  }
  if (step == "cuda-rows") return {.cells = 3 * padded, .tile_words = padded / row_tile + 1};
  if (overlap.tiles == 1) return {};
  // plan_round makes sections even, and the last one may end after the table.
  const std::int64_t steps = (columns + 1) / 2 + 32 * std::int64_t{overlap.tiles};
  const std::int64_t section = steps / overlap.sections + 64;
  return {.borders = 2 * overlap.sections * (overlap.lead + section + 1)};
}

}  // namespace speedwell::ssca1

// The sizes of the memory and of the sections of kernel 1 by GpuTableStep (kernel1_gpu_steps.hpp), whose steps are
// cuda-diagonals, cuda-sweeps, cuda-rows and cuda-sections. Host code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_decaying_maximum.hpp"

namespace speedwell::ssca1 {

/// cuda-rows: threads of a block, columns of a thread, and columns of a tile, which a block computes.
inline constexpr int row_threads = 256, row_items = 8, row_tile = row_threads * row_items;
/// cuda-sections: warps of a block, one section each, which share the profile of match in shared memory.
inline constexpr int section_warps = 4;
/// cuda-sections: rows of match in the registers of a lane. With 16, two blocks fit the registers and, up to 64
/// symbols, the shared memory of a multiprocessor. With 8, a match of up to 256 rows occupies more lanes.
constexpr int overlapping_strip_rows(std::int64_t rows, int symbols) { return rows <= 32 * 8 || symbols > 64 ? 8 : 16; }

/// The maximum number of candidates that are listed in one pass over the table.
inline constexpr std::uint64_t step_list_capacity = 1 << 20;

/// Columns of a row in memory: whole tiles, so that kernels access them without tests. The columns after the end of
/// main have symbol 0; no cell depends on a column to its right, and candidates there are not listed.
constexpr std::int64_t padded_columns(std::int64_t columns) { return (columns + row_tile - 1) / row_tile * row_tile; }
static_assert(row_tile % sweep_elements == 0);

/// cuda-sweeps: the number of elements on each level of the scan, a row's columns on level 0 and the totals of its
/// blocks above.
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

/// cuda-sections: the tiles of 32 strips of rows in match, the number of sections of main, and the steps by which a
/// section starts early. A step computes two columns in a lane (SectionRound).
struct OverlapPlan {
  std::int32_t tiles = 1, sections = 1, lead = 0;
};
/// The lead of a section has so many steps that the longest alignment with the minimum score fits. It may begin in the
/// first row of the table and end in the last, and the lanes of each tile are up to 32 steps behind the tile above: 32
/// steps per tile are added. If no overlap suffices, or the lead would be as long as the table, there is one section.
///
/// A section for each of 8 warps per multiprocessor (two blocks) is used if it is then at least as long as its lead,
/// and of 4 warps otherwise: shorter sections compute more cells of leads, and 4 warps are what hides the latency.
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

/// What a step allocates, in elements, in addition to the sequences, the scores and the list of candidates.
struct StepMemory {
  std::int64_t cells = 0;       // numbers of 32 bits
  std::int64_t tile_words = 0;  // words of 64 bits
  // Borders, of two columns each. A section has two for each step: that of the tile above, and that which it writes.
  std::int64_t borders = 0;
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
  // plan_round() rounds the steps of a section up to an even number of at least 64: 64 more are enough.
  const std::int64_t steps = (columns + 1) / 2 + 32 * std::int64_t{overlap.tiles};
  const std::int64_t section = steps / overlap.sections + 64;
  return {.borders = 2 * overlap.sections * (overlap.lead + section + 1)};
}

}  // namespace speedwell::ssca1

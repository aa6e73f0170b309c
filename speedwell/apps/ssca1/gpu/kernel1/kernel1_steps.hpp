// The table of kernel 1 in device memory for the steps before GpuTable, and their launches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_refine.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps_plan.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::ssca1 {

struct StepTable {
  const std::uint8_t *main = nullptr, *match = nullptr;  // main has padded_columns() symbols
  const std::int16_t* scores = nullptr;                  // scores[match symbol * symbols + main symbol]
  std::int64_t columns = 0, rows = 0;
  std::int32_t symbols = 0, open = 0, extend = 0;
  std::int32_t highest = 0;  // no score of the table exceeds it

  SPEEDWELL_HD
  std::int32_t pair_score(std::int64_t row, std::int64_t column) const {
    return scores[static_cast<int>(match[row]) * symbols + main[column]];
  }
  /// Lists the cell with value h, and `diagonal` before it, if it is a candidate.
  SPEEDWELL_HD
  void test(const CandidateList& list, std::int64_t row, std::int64_t column, std::int32_t h,
            std::int32_t diagonal) const {
    if (h < list.threshold) return;
    if (list.peaks && !is_peak(row, column, rows, columns, h - diagonal,
                               [this](std::int64_t i, std::int64_t j) { return pair_score(i, j); }))
      return;
    list.add({row, column, h, h - diagonal}, columns);
  }
};

/// A pass over the table.
struct StepLaunch {
  StepTable table{};
  CandidateList list{};
  std::int32_t* cells = nullptr;  // StepMemory::cells of them
  std::size_t cell_bytes = 0;
  unsigned long long* tile_words = nullptr;  // StepMemory::tile_words of them
  std::size_t tile_word_bytes = 0;
  // cuda-sections
  SectionRound round{};
  int strip_rows = 0;
};

/// Enqueue a pass; return the number of kernels.
std::int64_t enqueue_diagonals(const StepLaunch& launch, const core::Stream& stream);
std::int64_t enqueue_sweeps(const StepLaunch& launch, const core::Stream& stream);
std::int64_t enqueue_rows(const StepLaunch& launch, const core::Stream& stream);
std::int64_t enqueue_sections(const StepLaunch& launch, const core::Stream& stream);

/// Bytes of shared memory of a block of cuda-sections.
SPEEDWELL_HD
constexpr int overlapping_shared_bytes(int strip_rows, int symbols) {
  const int profile = section_profile_bytes(strip_rows, symbols);
  return profile + section_warps * (section_shared_bytes(strip_rows, symbols) - profile);
}

}  // namespace speedwell::ssca1

// The oracle: Gotoh's recurrence as it is written in alignment.hpp, one cell after another, in 64-bit integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"

namespace speedwell::alignment::reference {

/// H, E and F of all (query + 1) x (subject + 1) cells, row-major; E and F are far below 0 where no gap can be.
struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<std::int64_t> h, e, f;
  std::int64_t H(std::size_t i, std::size_t j) const { return h[i * columns + j]; }
};
Table table(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject, const Scoring& scoring);

/// The largest H, and the first cell in row order that has it (0, 0 if it is 0).
struct Best {
  std::int64_t score = 0;
  std::size_t query_end = 0, subject_end = 0;
};
/// Keeps two rows of the table.
Best best(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject, const Scoring& scoring);

}  // namespace speedwell::alignment::reference

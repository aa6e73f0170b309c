// The passes over the table of a step before GpuTable. One is enough, unless there are more candidates than the list
// holds: then each pass lists those of a window of cells. Host code executes the same in tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_refine.hpp"

namespace speedwell::ssca1 {

struct StepPasses {
  Candidates candidates;
  std::int64_t passes = 0;
};

/// The candidates of the table. pass(window) computes it and lists those in the window with at least its threshold, at
/// most `capacity` >= 1, and returns their number, listed or not; cells() are those listed by the last pass.
template <class Pass, class Cells>
StepPasses all_passes(const TableProblem& table, std::uint64_t capacity, Pass&& pass, Cells&& cells) {
  StepPasses made{Candidates(table.rules, table.owned)};
  const std::int64_t all = table.rows() * table.columns();
  const auto fitting = static_cast<std::int64_t>(capacity);  // cells, which the list holds whatever they are
  std::int64_t length = all;
  for (std::int64_t first = 0; first < all;) {
    CandidateList window{.threshold = made.candidates.threshold(),
                         .peaks = table.rules.mode == EndpointRules::Mode::peaks,
                         .capacity = capacity,
                         .first_cell = first,
                         .end_cell = std::min(all, first + std::min(length, all - first))};
    const std::uint64_t found = pass(std::as_const(window));
    ++made.passes;
    if (found > capacity) {
      // Half of what fits if candidates are evenly distributed.
      const double share = static_cast<double>(capacity) / static_cast<double>(found) / 2;
      const auto shorter = static_cast<std::int64_t>(static_cast<double>(window.end_cell - window.first_cell) * share);
      length = std::max(fitting, shorter);
      continue;
    }
    for (const FoundCell& cell : cells()) made.candidates.add({cell.score, cell.column + 1, cell.row + 1});
    first = window.end_cell;
  }
  return made;
}

}  // namespace speedwell::ssca1

// Kernel 1 on a GPU: rounds of sections of main, as many as the device computes side by side. `Device` computes them:
// the GPU (gpu_table.cu) or, in tests, host code that steps the same warps. Sections whose beginning is not what their
// neighbour ended with are computed again from there, until all agree; see sections.hpp. Candidates are known to be
// ones only then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/ssca1/gpu_sections.hpp"
#include "speedwell/apps/alignment/ssca1/table.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::alignment::ssca1 {

/// What a device makes of the sections it was given.
enum class SweepOutcome { complete, scores_too_large, too_many_candidates };

struct GpuRoundOptions {
  std::int64_t lead = 128;       // columns
  std::int64_t shortest = 128;   // columns of a section
  std::int64_t longest = 32768;  // columns of a section
};

struct GpuRoundCounts {
  std::int64_t rounds = 0, sections = 0, repeated = 0, wide_rounds = 0, smaller_rounds = 0;
};

/// Device has: slots(), how many sections it holds; sweep(tasks, lead, threshold, wide, found); agree(count), for each
/// slot from 1 to count - 1 whether it began as the one before ended; take_over(slots), which makes the end of the slot
/// before each the beginning of it; and next_round(slot), which makes the end of that slot the beginning of slot 0. At
/// first the beginning of slot 0 is the table's border.
template <class Device>
class GpuRounds {
 public:
  GpuRounds(Device& device, const TableProblem& table, const GpuRoundOptions& options = {})
      : device_(device), table_(table), options_(options), found_(table.rules) {}

  Endpoints run() {
    const std::int64_t n = table_.columns();
    std::int64_t at = 0, most = device_.slots();
    std::int64_t longest = std::max(options_.longest, options_.shortest);
    while (at < n && table_.rows() > 0) {
      const std::int64_t even = (n - at + most - 1) / most;
      const std::int64_t length = std::clamp(even, std::min(options_.shortest, longest), longest);
      const std::int64_t count = std::min(most, (n - at + length - 1) / length);
      const SweepOutcome outcome = round(at, length, count);
      if (outcome == SweepOutcome::scores_too_large) {
        if (wide_) throw core::DeviceError("scores do not fit 32 bits");
        wide_ = true;
        continue;
      }
      if (outcome == SweepOutcome::too_many_candidates) {
        // What was found so far cannot be used: not all of it is true.
        if (length > 1)
          longest = length / 2;
        else if (count > 1)
          most = count / 2;
        else
          throw core::DeviceError("one column has more candidates than there is room for");
        ++counts_.smaller_rounds;
        continue;
      }
      at = std::min(n, at + count * length);
      device_.next_round(static_cast<std::int32_t>(count - 1));
    }
    return found_.finish();
  }
  const GpuRoundCounts& counts() const { return counts_; }

 private:
  SweepOutcome round(std::int64_t at, std::int64_t length, std::int64_t count) {
    const auto lead = static_cast<std::int32_t>(std::clamp<std::int64_t>(options_.lead, 1, length));
    std::vector<SectionTask> tasks;
    for (std::int64_t s = 0; s < count; ++s)
      tasks.push_back({at + s * length, std::min(table_.columns(), at + (s + 1) * length), static_cast<std::int32_t>(s),
                       s == 0 ? 1 : 0});
    std::vector<std::vector<FoundCell>> by_section(static_cast<std::size_t>(count));
    std::vector<FoundCell> cells;
    std::vector<SectionTask> work = tasks;
    while (true) {
      cells.clear();
      const SweepOutcome outcome = device_.sweep(work, lead, found_.threshold(), wide_, cells);
      if (outcome != SweepOutcome::complete) return outcome;
      for (const SectionTask& task : work) by_section[static_cast<std::size_t>(task.slot)].clear();
      for (const FoundCell& cell : cells) by_section[static_cast<std::size_t>(cell.slot)].push_back(cell);
      const std::vector<char> agree = device_.agree(static_cast<std::int32_t>(count));
      work.clear();
      std::vector<std::int32_t> slots;
      for (std::int64_t s = 1; s < count; ++s) {
        if (agree[static_cast<std::size_t>(s)]) continue;
        SectionTask task = tasks[static_cast<std::size_t>(s)];
        task.known = 1;
        work.push_back(task);
        slots.push_back(task.slot);
      }
      if (work.empty()) break;
      device_.take_over(slots);
      counts_.repeated += std::ssize(work);
    }
    for (const auto& section : by_section)
      for (const FoundCell& cell : section) found_.add({cell.score, cell.column + 1, cell.row + 1});
    ++counts_.rounds;
    counts_.sections += count;
    counts_.wide_rounds += wide_;
    return SweepOutcome::complete;
  }

  Device& device_;
  const TableProblem& table_;
  GpuRoundOptions options_;
  Candidates found_;
  bool wide_ = false;
  GpuRoundCounts counts_;
};

/// Rows of a lane: as many as leave room for the profile in `shared_bytes`, but no more than match needs; 0 if even the
/// fewest do not.
inline int section_strip_rows(std::int64_t rows, int symbols, int shared_bytes) {
  for (const int strip : {8, 16, 32})
    if (rows <= 32 * strip && section_profile_bytes(strip, symbols) <= shared_bytes) return strip;
  for (const int strip : {32, 16, 8})
    if (section_profile_bytes(strip, symbols) <= shared_bytes) return strip;
  return 0;
}

/// A sweep's constants, with no memory yet.
template <class Arithmetic>
SectionSweep section_constants(const TableProblem& table) {
  const std::int64_t first = std::int64_t{table.scoring.gap_open()} + table.scoring.gap_extend();
  SectionSweep sweep;
  sweep.columns = table.columns();
  sweep.rows = table.rows();
  sweep.symbols = table.scoring.symbols();
  sweep.highest = std::max(0, table.scoring.highest());
  sweep.constants = Arithmetic::constants(table.scoring.gap_open(), table.scoring.gap_extend());
  sweep.floor = static_cast<std::int32_t>(std::min<std::int64_t>(first, Arithmetic::largest));
  sweep.limit = Arithmetic::largest - sweep.highest;
  sweep.peaks = table.rules.mode == EndpointRules::Mode::peaks;
  return sweep;
}

/// Whether scores fit the profile, which holds 16 bits each.
inline bool fits_section_profile(const Scoring& scoring) {
  return scoring.lowest() >= -16384 && scoring.highest() <= 16383;
}

}  // namespace speedwell::alignment::ssca1

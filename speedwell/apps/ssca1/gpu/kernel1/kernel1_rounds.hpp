// Kernel 1 on a GPU: rounds of sections of main, as many as the device computes concurrently. `Device` computes them:
// the GPU (kernel1_table.cu) or, in tests, host code that executes the same warps.
//
// A round is one sequence of launches and one copy to the host: sweep, comparison of the sections' final states, choice
// of a threshold, and the candidates above it. Sections whose initial state is not the final state of their neighbour
// are repeated until all agree. The threshold is an estimate, which the candidates found confirm
// (cpu/kernel1_candidates.hpp), or which is lowered: the states of the sweep are still available.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_choice.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::ssca1 {

/// The arithmetic of the cells, each for scores that exceed the range of the previous one.
enum class CellWidth { bits11, bits16, bits32 };
constexpr int sections_of_pair(CellWidth width) { return width == CellWidth::bits32 ? 1 : 2; }

/// In steps of two columns; all are even.
struct GpuRoundOptions {
  std::int64_t lead = 32;  // covers the tail of an alignment with score 60 as well as random ones
  std::int64_t shortest = 32, longest = 1 << 20;  // range of the length of a section
  std::int64_t span = 32;
};

struct GpuRoundCounts {
  std::int64_t rounds = 0, sections = 0, repeated = 0, refinements = 0, pieces = 0;
  CellWidth width = CellWidth::bits11;
};

/// Calls f with the arithmetic of a width.
template <class F>
decltype(auto) with_arithmetic(CellWidth width, F&& f) {
  switch (width) {
    case CellWidth::bits11:
      return f(Pair11{});
    case CellWidth::bits16:
      return f(Pair16{});
    default:
      return f(Single32{});
  }
}
inline CellConstants cell_constants(CellWidth width, const Scoring& scoring) {
  return with_arithmetic(
      width, [&](auto arithmetic) { return arithmetic.constants(scoring.gap_open(), scoring.gap_extend()); });
}
/// After a higher score, the next one may be wrong.
inline std::int32_t score_limit(CellWidth width, const Scoring& scoring) {
  return with_arithmetic(width, [&](auto arithmetic) { return arithmetic.largest - std::max(0, scoring.highest()); });
}
/// Whether cells of the width are exact up to the limit.
inline bool width_serves(CellWidth width, const Scoring& scoring) {
  return width != CellWidth::bits11 || (Pair11::serves(scoring.gap_open(), scoring.gap_extend()) &&
                                        scoring.lowest() >= -128 && scoring.highest() <= 127);
}
/// A round without its memory.
inline SectionRound plan_round(const TableProblem& table, const GpuRoundOptions& options, std::int64_t first_step,
                               std::int64_t steps, std::int32_t tiles, std::int32_t max_pairs, CellWidth width) {
  const int halves = sections_of_pair(width);
  const auto even = [](std::int64_t number) { return (number + 1) / 2 * 2; };
  const std::int64_t maximum = std::int64_t{max_pairs} * halves;
  SectionRound round;
  round.columns = table.columns();
  round.rows = table.rows();
  round.symbols = table.scoring.symbols();
  round.highest = table.scoring.highest();
  round.constants = cell_constants(width, table.scoring);
  round.limit = score_limit(width, table.scoring);
  round.first_step = first_step;
  round.tiles = tiles;
  round.lead = static_cast<std::int32_t>(options.lead);
  round.steps = static_cast<std::int32_t>(
      std::clamp(even((steps + maximum - 1) / maximum), std::min(options.shortest, options.longest), options.longest));
  round.sections = static_cast<std::int32_t>(std::min(maximum, (steps + round.steps - 1) / round.steps));
  round.pairs = (round.sections + halves - 1) / halves;
  round.span = static_cast<std::int32_t>(options.span);
  round.spans = (round.steps + round.span - 1) / round.span;
  // Columns with a distance of more than 2^30 are out of reach of every section.
  constexpr std::int64_t far = 1 << 30;
  const std::int64_t first = std::max(-far, -first_step);
  round.first_inside = static_cast<std::int32_t>(first);
  round.inside = static_cast<std::uint32_t>(std::min(far, (table.columns() + 1) / 2 - first_step) - first);
  return round;
}
inline SectionRound with_memory(SectionRound round, const SectionMemory& memory) {
  static_cast<SectionMemory&>(round) = memory;
  round.first_symbols = memory.main + 2 * round.first_step;
  if (round.first_step == 0) round.before = nullptr;
  return round;
}
/// The steps of the whole table: the last lane of the last tile computes the last columns.
inline std::int64_t table_steps(const TableProblem& table, std::int64_t tiles) {
  return (table.columns() + 1) / 2 + 32 * tiles - 1;
}

/// Device has: pairs(), how many pairs of sections it computes side by side; tiles(); fits(width), whether the widths'
/// cells are exact up to their limit; limit(width); and
///   sweep(width, round, choice)   a round from its beginning to its candidates
///   repeat(pairs, choice)         the same, with the pairs that differed last done again
///   choose(choice)                another threshold, and its candidates
///   refine(first, last)           the candidates of some of the spans that the last threshold chose
/// which return a summary, without candidates if sections differ or scores are too large. cells() are the candidates
/// found, up to capacity(), and end_round(last) keeps the end of the round for the next one if there is one.
template <class Device>
class GpuRounds {
 public:
  GpuRounds(Device& device, const TableProblem& table, const GpuRoundOptions& options)
      : device_(device), table_(table), options_(options), found_(table.rules, table.owned) {}

  Endpoints run() { return candidates().finish(); }
  /// All rounds of the table. The candidates are moved out of this object, so that it runs once.
  Candidates candidates() {
    if (table_.rows() == 0 || table_.columns() == 0) return std::move(found_);
    for (const CellWidth width : {CellWidth::bits11, CellWidth::bits16, CellWidth::bits32}) {
      if (!device_.fits(width) || table_.rules.minimum_score > device_.limit(width)) continue;
      counts_.width = width;
      found_.clear();
      if (all_rounds(width)) return std::move(found_);
    }
    throw core::DeviceError("scores do not fit 32 bits");
  }
  const GpuRoundCounts& counts() const { return counts_; }

 private:
  bool all_rounds(CellWidth width) {
    const std::int64_t steps = table_steps(table_, device_.tiles());
    for (std::int64_t at = 0; at < steps;) {
      const SectionRound planned =
          plan_round(table_, options_, at, steps - at, device_.tiles(), device_.pairs(), width);
      if (!round(width, planned)) return false;
      at += std::int64_t{planned.sections} * planned.steps;
      device_.end_round(at >= steps);
      ++counts_.rounds;
      counts_.sections += planned.sections;
    }
    return true;
  }

  /// Returns false if scores are too large for the width.
  bool round(CellWidth width, const SectionRound& planned) {
    ThresholdChoice choice = first_choice();
    RoundSummary summary = device_.sweep(width, planned, choice);
    while (summary.differing > 0 && !summary.overflowed) {
      counts_.repeated += summary.differing;
      summary = device_.repeat(summary.differing, choice);
    }
    if (summary.overflowed) return false;
    while (true) {
      ++counts_.refinements;
      Candidates found = found_;
      take(summary, found);
      if (summary.threshold <= choice.minimum || found.has_enough_from(summary.threshold)) {
        found_ = std::move(found);
        return true;
      }
      choice.ceiling = std::max(choice.minimum, summary.threshold - 1);
      choice.wanted *= 4;
      summary = device_.choose(choice);
    }
  }

  /// More spans than endpoints are needed: endpoints of a span may be in conflict, or continue in the next span.
  ThresholdChoice first_choice() const {
    const std::int32_t minimum = found_.threshold();
    if (table_.rules.count_candidates) return {.minimum = minimum, .ceiling = minimum};
    const std::size_t wanted = std::min<std::size_t>(table_.rules.count, 1 << 24);
    return {.minimum = minimum,
            .ceiling = std::numeric_limits<std::int32_t>::max(),
            .wanted = static_cast<std::uint32_t>(wanted + wanted / 4 + 16)};
  }

  void take(const RoundSummary& summary, Candidates& found) {
    if (summary.found <= device_.capacity()) return take_cells(found);
    // The list was too short: the spans are processed in pieces. One span never has more candidates than cells.
    std::uint32_t piece = summary.selected;
    for (std::uint32_t first = 0; first < summary.selected;) {
      const std::uint32_t last = std::min(first + piece, summary.selected);
      if (device_.refine(first, last).found > device_.capacity()) {
        if (piece == 1) throw core::DeviceError("a span has more candidates than there is room for");
        piece = (piece + 1) / 2;
        continue;
      }
      ++counts_.pieces;
      take_cells(found);
      first = last;
    }
  }
  void take_cells(Candidates& found) {
    for (const FoundCell& cell : device_.cells()) found.add({cell.score, cell.column + 1, cell.row + 1});
  }

  Device& device_;
  const TableProblem& table_;
  GpuRoundOptions options_;
  Candidates found_;
  GpuRoundCounts counts_;
};

/// Rows of a lane: the maximum that leaves room for the profile and a warp's data in `shared_bytes`, but at most as
/// many as match needs; 0 if even the minimum does not fit.
inline int section_strip_rows(std::int64_t rows, int symbols, int shared_bytes) {
  for (const int strip : {8, 16, 32})
    if (rows <= 32 * strip && section_shared_bytes(strip, symbols) <= shared_bytes) return strip;
  for (const int strip : {32, 16, 8})
    if (section_shared_bytes(strip, symbols) <= shared_bytes) return strip;
  return 0;
}

/// Whether scores fit the 16-bit profile.
inline bool fits_section_profile(const Scoring& scoring) {
  return scoring.lowest() >= -16384 && scoring.highest() <= 16383;
}

}  // namespace speedwell::ssca1

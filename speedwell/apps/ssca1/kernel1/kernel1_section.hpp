// Kernel 1 in sections of main on several ranks or GPUs: the division of the dissertation of 2012 (section 4.3.4), with
// the overlap of cpu/kernel1_overlap.hpp, and the merge of the sections' candidates.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// The columns whose candidates count, from 1, both included.
struct OwnedColumns {
  std::int64_t first = 1, last = std::numeric_limits<std::int64_t>::max();
  bool are_all() const { return first <= 1 && last == std::numeric_limits<std::int64_t>::max(); }
};

/// The candidates of a section, before separation: all that can be accepted whatever the other sections have.
struct SectionCandidates {
  std::vector<Endpoint> kept;
  std::int64_t found = -1;  // their number with those that cannot; -1: not counted
};

/// Columns first … last - 1 of main, counted from 0. They are computed from a border of zeros; the columns before the
/// owned ones are the overlap, and one after them, if there is one, says whether a path goes on.
struct TableSection {
  std::int64_t first = 0, last = 0;
  OwnedColumns owned{};  // in the section
  bool is_empty() const { return first == last; }

  Codes of(Codes main) const {
    return main.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  }
  /// Moves positions in the section to those in main.
  void move(SectionCandidates& candidates) const {
    for (Endpoint& endpoint : candidates.kept) endpoint.main += first;
  }
};

/// A section for each part, with about as many columns each, the overlap included, so that the first one, which has
/// none, owns more. Sections after the first are empty where main is not longer than the overlap, or no overlap is
/// enough: the first then has all columns.
std::vector<TableSection> divide_table(std::int64_t main_length, std::int64_t match_length, const Scoring& scoring,
                                       const EndpointRules& rules, int parts);

/// The candidates of the section by the algorithm of pairwise_align(), with positions in main.
SectionCandidates section_candidates(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                                     const TableSection& section, const Options& options = {});

/// The endpoints of the whole table.
Endpoints merge_sections(std::span<const SectionCandidates> sections, const EndpointRules& rules);

}  // namespace speedwell::ssca1

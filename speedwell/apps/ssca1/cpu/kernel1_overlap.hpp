// Kernel 1 in overlapping sections of main, the decomposition over devices of the dissertation of 2012 (section 4.3.4):
// each section is computed from a border of zeros some columns before the part that it owns.
//
// This is exact for every cell with a score of at least T >= 1 if the longest alignment with that score fits the
// overlap. With M the highest score of a pair, such an alignment has at most m columns with a symbol of match, and g
// other columns with M m - gap_open - gap_extend g >= T. So it spans at most
//   span(T) = m + max(0, floor((M m - gap_open - T) / gap_extend))
// symbols of main, and an overlap of span(T) - 1 columns suffices. Smaller scores may be underestimated, but never
// overestimated.
#pragma once

#include <cstdint>
#include <optional>

#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// span(T) - 1; none if the extension of a gap costs nothing. match_length and minimum_score are at least 1.
std::optional<std::int64_t> required_overlap(const Scoring& scoring, std::int64_t match_length,
                                             std::int32_t minimum_score);

struct OverlapOptions : Options {
  std::int64_t sections = 0;            // 0: one per thread, or one if no overlap suffices
  std::optional<std::int64_t> overlap;  // columns; none: the required overlap
};

/// Throws std::invalid_argument if there are several sections and the overlap is smaller than required.
Endpoints overlapped_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                           const OverlapOptions& options);

}  // namespace speedwell::ssca1

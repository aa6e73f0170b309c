// Kernel 1 in sections of main that overlap, as the dissertation of 2012 divides it among devices (section 4.3.4): each
// section is computed from a border of zeros some columns before the part it owns.
//
// That is exact for every cell with a score of at least T >= 1 if the longest alignment with that score fits. With M
// the highest score of a pair, such an alignment has at most m columns with a symbol of match, and g others with
// M m - gap_open - gap_extend g >= T. So it spans at most
//   span(T) = m + max(0, floor((M m - gap_open - T) / gap_extend))
// symbols of main, and span(T) - 1 columns of overlap are enough. Smaller scores may come out too small, never too
// large.
#pragma once

#include <cstdint>
#include <optional>

#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1 {

/// span(T) - 1; none if a longer gap costs nothing. match_length and minimum_score are at least 1.
std::optional<std::int64_t> required_overlap(const Scoring& scoring, std::int64_t match_length,
                                             std::int32_t minimum_score);

struct OverlapOptions : Options {
  std::int64_t sections = 0;            // 0: one for each thread, or one if no overlap is enough
  std::optional<std::int64_t> overlap;  // columns; none: what is required
};

/// Throws std::invalid_argument if the overlap is less than required and there are several sections.
Endpoints overlapped_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                           const OverlapOptions& options);

}  // namespace speedwell::alignment::ssca1

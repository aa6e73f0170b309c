// Kernel 1 with one section of main per SIMD lane.
//
// A section depends on the last column of its left neighbour, which is not known yet. So each section starts `lead`
// columns early from a table of zeros. This can only decrease H, and if local alignments are short, H is exact after
// the lead: the first column of the section proper then equals the neighbour's last one, and equal columns lead to
// equal tables. Both columns are stored and compared. Sections whose initial state differs are repeated from the
// neighbour's column, again one per lane, until all agree: by induction from the first section, whose initial state is
// known, the table is then exact. Alignments that extend over many sections would need as many repetitions as sections;
// after a few of these the round is computed in tiles, as are rounds in which useful scores are everywhere. If that
// happens in several consecutive rounds, all further rounds are computed in tiles.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"

namespace speedwell::ssca1 {

/// Statistics of a search, for tests and tuning.
struct SectionCounts {
  std::int64_t rounds = 0, sections = 0;
  std::int64_t repeated = 0;       // sections repeated from their neighbour's column
  std::int64_t wide_columns = 0;   // computed in 16 bits
  std::int64_t tiled_columns = 0;  // computed in tiles
};

struct SectionOptions : Options {
  std::int64_t lead = 128;          // columns
  std::int64_t longest = 32768;     // columns of a section
  std::int64_t max_rows = 1 << 16;  // longer matches are computed in tiles: a section stores 16 bytes per row
  SectionCounts* counts = nullptr;  // counters to increment, or null
};

Endpoints sectioned_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                          const SectionOptions& options);

}  // namespace speedwell::ssca1

// Kernel 1 with sections of main side by side in the lanes of vectors.
//
// A section depends on its left neighbour's last column, which is not there yet. So each begins `lead` columns early
// from a table of zeros. H only loses by that, and where local alignments are short it has lost nothing after the lead:
// the column where the section proper begins is then the same as its neighbour's last one, and from equal columns equal
// tables follow. Both are kept and compared. Sections whose beginning differs are done again from the neighbour's
// column, again in lanes side by side, until all agree: by induction from the first section, whose beginning is known,
// the table is then the exact one. Where alignments run through many sections that takes as many turns as sections;
// after a few the round is done in tiles, as are rounds in which scores worth looking at are everywhere; and where that
// happens to several rounds one after another, all the others are.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/ssca1/table.hpp"

namespace speedwell::alignment::ssca1 {

/// How a search went: for tests and for those who tune.
struct SectionCounts {
  std::int64_t rounds = 0, sections = 0;
  std::int64_t repeated = 0;       // sections done again from their neighbour's column
  std::int64_t wide_columns = 0;   // done in 16 bits
  std::int64_t tiled_columns = 0;  // given up to tiles
};

struct SectionOptions : Options {
  std::int64_t lead = 128;           // columns
  std::int64_t longest = 32768;      // columns of a section
  std::int64_t most_rows = 1 << 16;  // more are done in tiles: a section keeps 16 bytes a row
  SectionCounts* counts = nullptr;   // added to
};

Endpoints sectioned_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                          const SectionOptions& options);

}  // namespace speedwell::alignment::ssca1

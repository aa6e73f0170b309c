// Hits as pairwise text: every alignment in blocks of 60 columns, in the manner of BLAST's outfmt 0.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "speedwell/apps/alignment/database_search/records.hpp"

namespace speedwell::database_search {

/// The text of one query: its title, and of every hit, which needs its alignment, the subject's title, score, bit
/// score, E-value, counts of identical and positive pairs and of gap residues, and the blocks. Rows are on the query's
/// own strand; positions of a subject on the minus strand descend. A row of gaps alone has the position of the residue
/// before it. User text is escaped (io::escape).
std::string pairwise_text(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits);

}  // namespace speedwell::database_search

// Which residues of the queries count when hits are looked for.
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::database_search {

enum class Masking { none, seg, dust };  // SEG: proteins, DUST: DNA

/// The symbol as which masked residues score: X (protein) or N (DNA).
char masked_residue(alignment::Alphabet alphabet);

/// The queries with the residues of low complexity replaced by masked_residue().
struct MaskedQueries {
  alignment::SequenceSet set, minus;      // minus: the reverse complements; empty if not asked for
  std::vector<bool> differs;              // which queries have such residues
  std::size_t queries = 0, residues = 0;  // how many queries have some, and how many residues
};

MaskedQueries mask_queries(const alignment::SequenceSet& queries, Masking masking, bool with_minus, int threads);

}  // namespace speedwell::database_search

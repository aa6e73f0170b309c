// Which letters of the queries of `speedwell align --mask` count when hits are looked for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/sequence_set.hpp"
#include "speedwell/cli/align.hpp"

namespace speedwell::cli {

/// The queries with the letters of low complexity replaced by X (protein) or N (DNA).
struct MaskedQueries {
  alignment::SequenceSet set, minus;     // minus: the reverse complements; empty for protein
  std::vector<bool> differs;             // which queries have such letters
  std::size_t queries = 0, letters = 0;  // how many, and how many letters
};

/// Throws std::invalid_argument where `mask` does not suit the alphabet, and for a matrix that does not score X or N.
void check_mask(AlignOptions::Mask mask, const alignment::SubstitutionMatrix& matrix);
MaskedQueries mask_queries(const alignment::SequenceSet& queries, AlignOptions::Mask mask, bool with_minus,
                           int threads);

/// "SEG masks 120 of 3,400 letters, in 2 of 10 queries".
std::string describe(const MaskedQueries& masked, AlignOptions::Mask mask);

}  // namespace speedwell::cli

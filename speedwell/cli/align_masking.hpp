// The messages of `speedwell align --mask`.
#pragma once

#include <string>

#include "speedwell/apps/alignment/database_search/masking.hpp"
#include "speedwell/apps/alignment/scoring.hpp"

namespace speedwell::cli {

/// Throws std::invalid_argument where `mask` does not suit the alphabet, and for a matrix that does not score X or N.
void check_mask(database_search::Masking mask, const alignment::SubstitutionMatrix& matrix);

/// "SEG masks 120 of 3,400 residues, in 2 of 10 queries".
std::string describe(const database_search::MaskedQueries& masked, database_search::Masking mask);

}  // namespace speedwell::cli

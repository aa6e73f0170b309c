#include "speedwell/cli/align_masking.hpp"

#include <fmt/format.h>

#include "speedwell/cli/errors.hpp"

namespace speedwell::cli {

using alignment::Alphabet;
using database_search::Masking;

void check_mask(Masking mask, const alignment::SubstitutionMatrix& matrix) {
  const Alphabet alphabet = matrix.alphabet();
  if (mask == Masking::seg && alphabet == Alphabet::dna)
    throw UsageError("--mask seg is for proteins", "--mask dust is for DNA");
  if (mask == Masking::dust && alphabet == Alphabet::protein)
    throw UsageError("--mask dust is for DNA", "--mask seg is for proteins");
  const char residue = database_search::masked_residue(alphabet);
  if (mask != Masking::none && !matrix.has(alignment::encode(alphabet, residue)))
    throw UsageError(
        fmt::format("--mask: masked residues score as {}, which the matrix {} does not score", residue, matrix.name()),
        "");
}

std::string describe(const database_search::MaskedQueries& masked, Masking mask) {
  return fmt::format("{} masks {} of {} residues, in {} of {} queries", mask == Masking::seg ? "SEG" : "DUST",
                     masked.residues, masked.set.residues(), masked.queries, masked.set.size());
}

}  // namespace speedwell::cli

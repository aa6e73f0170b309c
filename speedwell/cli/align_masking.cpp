#include "speedwell/cli/align_masking.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speedwell/apps/alignment/masking.hpp"
#include "speedwell/cli/align_parallel.hpp"
#include "speedwell/cli/align_sequences.hpp"
#include "speedwell/cli/errors.hpp"

namespace speedwell::cli {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;
using Mask = AlignOptions::Mask;

char letter_of(Alphabet alphabet) { return alphabet == Alphabet::protein ? 'X' : 'N'; }
const char* name_of(Mask mask) { return mask == Mask::seg ? "SEG" : "DUST"; }

}  // namespace

void check_mask(Mask mask, const alignment::SubstitutionMatrix& matrix) {
  const Alphabet alphabet = matrix.alphabet();
  if (mask == Mask::seg && alphabet == Alphabet::dna)
    throw UsageError("--mask seg is for proteins", "--mask dust is for DNA");
  if (mask == Mask::dust && alphabet == Alphabet::protein)
    throw UsageError("--mask dust is for DNA", "--mask seg is for proteins");
  if (mask != Mask::none && !matrix.knows(alignment::encode(alphabet, letter_of(alphabet))))
    throw UsageError(fmt::format("--mask: masked letters score as {}, which the matrix {} does not score",
                                 letter_of(alphabet), matrix.name()),
                     "");
}

MaskedQueries mask_queries(const SequenceSet& queries, Mask mask, bool with_minus, int threads) {
  const Alphabet alphabet = queries.alphabet();
  std::vector<std::vector<alignment::Region>> regions(queries.size());
  parallel(queries.size(), threads, [&](std::size_t i) {
    regions[i] =
        mask == Mask::seg ? alignment::seg_regions(queries.codes(i)) : alignment::dust_regions(queries.codes(i));
  });
  MaskedQueries masked{.set = SequenceSet(alphabet), .minus = SequenceSet(alphabet), .differs = {}};
  const auto code = static_cast<std::uint8_t>(alignment::encode(alphabet, letter_of(alphabet)));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<std::uint8_t> codes(queries.codes(i).begin(), queries.codes(i).end());
    for (const alignment::Region& region : regions[i]) {
      std::fill(codes.begin() + static_cast<std::ptrdiff_t>(region.begin),
                codes.begin() + static_cast<std::ptrdiff_t>(region.end), code);
      masked.letters += region.end - region.begin;
    }
    masked.differs.push_back(!regions[i].empty());
    masked.queries += !regions[i].empty();
    masked.set.add_codes(queries.name(i), codes);
  }
  if (with_minus) masked.minus = reverse_complement(masked.set);
  return masked;
}

std::string describe(const MaskedQueries& masked, Mask mask) {
  return fmt::format("{} masks {} of {} letters, in {} of {} queries", name_of(mask), masked.letters,
                     masked.set.letters(), masked.queries, masked.set.size());
}

}  // namespace speedwell::cli

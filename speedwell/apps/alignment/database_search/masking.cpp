#include "speedwell/apps/alignment/database_search/masking.hpp"

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/alignment/database_search/parallel.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/apps/alignment/sequences/masking.hpp"

namespace speedwell::database_search {

using alignment::SequenceSet;

char masked_residue(alignment::Alphabet alphabet) { return alphabet == alignment::Alphabet::protein ? 'X' : 'N'; }

MaskedQueries mask_queries(const SequenceSet& queries, Masking masking, bool with_minus, int threads) {
  const alignment::Alphabet alphabet = queries.alphabet();
  std::vector<std::vector<alignment::Region>> regions(queries.size());
  parallel(queries.size(), threads, [&](std::size_t i) {
    if (masking == Masking::seg) regions[i] = alignment::seg_regions(queries.codes(i));
    if (masking == Masking::dust) regions[i] = alignment::dust_regions(queries.codes(i));
  });
  MaskedQueries masked{.set = SequenceSet(alphabet), .minus = SequenceSet(alphabet), .differs = {}};
  const auto code = static_cast<std::uint8_t>(alignment::encode(alphabet, masked_residue(alphabet)));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::vector<std::uint8_t> codes(queries.codes(i).begin(), queries.codes(i).end());
    for (const alignment::Region& region : regions[i]) {
      std::fill(codes.begin() + static_cast<std::ptrdiff_t>(region.begin),
                codes.begin() + static_cast<std::ptrdiff_t>(region.end), code);
      masked.residues += region.end - region.begin;
    }
    masked.differs.push_back(!regions[i].empty());
    masked.queries += !regions[i].empty();
    masked.set.add_codes(queries.name(i), codes);
  }
  if (with_minus) masked.minus = reverse_complement(masked.set);
  return masked;
}

}  // namespace speedwell::database_search

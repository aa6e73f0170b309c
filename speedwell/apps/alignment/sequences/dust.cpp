// Symmetric DUST, as masking.hpp says: the best score of any interval within the triplets i … j follows from those of
// i + 1 … j and i … j - 1. Scores are fractions and are compared as such.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "speedwell/apps/alignment/sequences/masking.hpp"

namespace speedwell::alignment {
namespace {

// The score of an interval: pairs of equal triplets over triplets less one. One triplet alone scores 0.
struct Score {
  std::int64_t pairs = 0, divisor = 1;
};
bool less(const Score& a, const Score& b) { return a.pairs * b.divisor < b.pairs * a.divisor; }

constexpr int not_a_triplet = -1;

// The triplet that begins at each base, from 0 to 63.
std::vector<int> triplets_of(std::span<const std::uint8_t> dna) {
  std::vector<int> triplets;
  for (std::size_t i = 0; i + 2 < dna.size(); ++i)
    triplets.push_back(dna[i] > 3 || dna[i + 1] > 3 || dna[i + 2] > 3 ? not_a_triplet
                                                                      : dna[i] * 16 + dna[i + 1] * 4 + dna[i + 2]);
  return triplets;
}

// The first triplet of the longest perfect interval that ends with the triplet `last`, or last + 1. best[i % size] is
// the best score of any interval within i … last - 1, and becomes that within i … last.
std::size_t first_of_perfect(const std::vector<int>& triplets, std::size_t last, int level, std::vector<Score>& best) {
  std::array<int, 64> counts{};
  std::size_t first_of_longest = last + 1;
  Score here{}, within{};  // of i … last, and the best of any interval within
  for (std::size_t k = 0; k < best.size() && k <= last; ++k) {
    const std::size_t i = last - k;
    if (triplets[i] == not_a_triplet) break;
    here = {here.pairs + counts[static_cast<std::size_t>(triplets[i])]++,
            std::max<std::int64_t>(1, static_cast<std::int64_t>(k))};
    Score& of_end_before = best[i % best.size()];
    if (k > 0 && less(within, of_end_before)) within = of_end_before;
    if (10 * here.pairs > level * here.divisor && !less(here, within)) first_of_longest = i;
    if (less(within, here)) within = here;
    of_end_before = within;
  }
  return first_of_longest;
}

}  // namespace

std::vector<Region> dust_regions(std::span<const std::uint8_t> dna, const DustOptions& options) {
  if (options.window < 4) throw std::invalid_argument("a window of DUST has at least 4 bases, two triplets");
  if (options.level < 0) throw std::invalid_argument("the level of DUST is not negative");
  const std::vector<int> triplets = triplets_of(dna);
  std::vector<Score> best(options.window - 2);
  std::vector<Region> regions;
  for (std::size_t last = 0; last < triplets.size(); ++last) {
    Region region{first_of_perfect(triplets, last, options.level, best), last + 3};
    if (region.begin > last) continue;
    while (!regions.empty() && region.begin < regions.back().end + std::max<std::size_t>(options.linker, 1)) {
      region.begin = std::min(region.begin, regions.back().begin);
      regions.pop_back();
    }
    regions.push_back(region);
  }
  return regions;
}

}  // namespace speedwell::alignment

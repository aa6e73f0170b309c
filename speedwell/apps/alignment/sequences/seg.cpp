// SEG, as masking.hpp says. The sums of logarithms need n! for n up to the length of a region only.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "speedwell/apps/alignment/sequences/masking.hpp"

namespace speedwell::alignment {
namespace {

constexpr std::size_t amino_acids = 20;  // the first codes of the alphabet
constexpr std::size_t max_trimmed = 100;
constexpr int max_other_residues = 2;
// Compositions of equal P0 are common (NNNNNNNNRRADCQV and the same with a second A), and sums of some 60 logarithms of
// up to 10^5 have errors below this: equal ones must not differ by them.
constexpr double rounding = 1e-9;

double log_factorial(int n) {
  int sign = 0;  // std::lgamma would write it to a global variable, from every thread
  return ::lgamma_r(n + 1.0, &sign);
}

// The composition of a window of the sequence that grows and shrinks at its ends.
class Composition {
 public:
  explicit Composition(std::span<const std::uint8_t> codes) {
    for (const std::uint8_t code : codes) add(code, 1);
  }
  void add(std::uint8_t code, int change) {
    if (code < amino_acids)
      counts_[code] += change;
    else
      others_ += change;
  }
  std::span<const int> counts() const { return counts_; }
  int others() const { return others_; }

 private:
  std::array<int, amino_acids> counts_{};
  int others_ = 0;
};

// The complexity of every window, by its first residue; infinite with more than two residues that are none of the 20.
std::vector<double> complexities(std::span<const std::uint8_t> protein, std::size_t window) {
  std::vector<double> result;
  if (protein.size() < window) return result;
  Composition composition(protein.first(window));
  for (std::size_t begin = 0;; ++begin) {
    result.push_back(composition.others() > max_other_residues ? INFINITY : seg_complexity(composition.counts()));
    if (begin + window == protein.size()) return result;
    composition.add(protein[begin], -1);
    composition.add(protein[begin + window], 1);
  }
}

// The part of `raw` with the least probable composition.
Region of_lowest_probability(std::span<const std::uint8_t> protein, Region raw) {
  const std::size_t length = raw.end - raw.begin;
  const std::size_t min_length = length > max_trimmed ? length - max_trimmed : 1;
  Region best = raw;
  double minimum = INFINITY;
  for (std::size_t size = length; size >= min_length; --size) {
    Composition composition(protein.subspan(raw.begin, size));
    for (std::size_t begin = raw.begin;; ++begin) {
      const double probability = seg_log_probability(composition.counts());
      if (probability < minimum - rounding) {
        minimum = probability;
        best = {begin, begin + size};
      }
      if (begin + size == raw.end) break;
      composition.add(protein[begin], -1);
      composition.add(protein[begin + size], 1);
    }
  }
  return best;
}

// Appends the regions of residues piece.begin … piece.end - 1, which are looked at as if they were all.
void append_regions(std::span<const std::uint8_t> protein, Region piece, const SegOptions& options,
                    std::vector<Region>& regions) {
  const std::vector<double> bits = complexities(protein.subspan(piece.begin, piece.end - piece.begin), options.window);
  for (std::size_t first = 0; first < bits.size();) {
    if (bits[first] > options.extension) {
      ++first;
      continue;
    }
    std::size_t last = first;  // of the run
    bool triggered = false;
    for (; last < bits.size() && bits[last] <= options.extension; ++last)
      triggered = triggered || bits[last] <= options.trigger;
    if (triggered) {
      const Region raw{piece.begin + first, piece.begin + last - 1 + options.window};
      const Region region = of_lowest_probability(protein, raw);
      append_regions(protein, {raw.begin, region.begin}, options, regions);
      regions.push_back(region);
      // The next run begins at a window outside the raw one; what is left of this one has its turn here.
      append_regions(protein, {region.end, raw.end}, options, regions);
    }
    first = last;
  }
}

}  // namespace

double seg_complexity(std::span<const int> counts) {
  int length = 0;
  for (const int n : counts) length += n;
  double bits = 0;
  for (const int n : counts)
    if (n > 0) bits -= n * std::log2(static_cast<double>(n) / length) / length;
  return bits;
}

double seg_log_probability(std::span<const int> counts) {
  int length = 0;
  for (const int n : counts) length += n;
  // L! / prod n_i! sequences of a composition, and 20! / prod r_k! compositions of the same numbers, r_k of which are
  // k.
  double log_ways = log_factorial(length) + log_factorial(static_cast<int>(amino_acids));
  std::array<int, amino_acids> sorted{};
  std::copy_n(counts.begin(), std::min(counts.size(), amino_acids), sorted.begin());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < amino_acids;) {
    const auto next = static_cast<std::size_t>(
        std::upper_bound(sorted.begin() + static_cast<std::ptrdiff_t>(i), sorted.end(), sorted[i]) - sorted.begin());
    log_ways -= log_factorial(static_cast<int>(next - i));
    log_ways -= static_cast<double>(next - i) * log_factorial(sorted[i]);
    i = next;
  }
  return log_ways - length * std::log(static_cast<double>(amino_acids));
}

std::vector<Region> seg_regions(std::span<const std::uint8_t> protein, const SegOptions& options) {
  if (options.window == 0) throw std::invalid_argument("a window of SEG has at least 1 residue");
  std::vector<Region> regions;
  append_regions(protein, {0, protein.size()}, options, regions);
  // Regions of two runs whose windows overlap may overlap, too.
  std::sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
  std::vector<Region> disjoint;
  for (const Region& region : regions)
    if (!disjoint.empty() && region.begin <= disjoint.back().end)
      disjoint.back().end = std::max(disjoint.back().end, region.end);
    else
      disjoint.push_back(region);
  return disjoint;
}

}  // namespace speedwell::alignment

#include "speedwell/apps/ssca1/scoring.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/ssca1/codons.hpp"
#include "speedwell/core/closest_match.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::int32_t maximum = std::int32_t{1} << 24;

struct Values {
  std::string_view name;
  int exact, similar, dissimilar, gap_open, gap_extend;
};
constexpr Values values[] = {
    {"dissertation", 5, -3, -3, 8, 1},
    {"ssca1", 5, 4, -3, 8, 1},
    {"ornl", 5, 4, -3, 5, 2},
};

}  // namespace

Scoring::Scoring(std::string name, int symbols, std::vector<std::int32_t> scores, int gap_open, int gap_extend)
    : name_(std::move(name)),
      symbols_(symbols),
      scores_(std::move(scores)),
      gap_open_(gap_open),
      gap_extend_(gap_extend) {
  if (symbols < 1 || symbols > 256)
    throw std::invalid_argument("an alphabet of " + std::to_string(symbols) + " symbols: 1 to 256 are allowed");
  if (scores_.size() != static_cast<std::size_t>(symbols) * static_cast<std::size_t>(symbols))
    throw std::invalid_argument(std::to_string(scores_.size()) + " scores of " + std::to_string(symbols) + " symbols");
  if (gap_open < 0 || gap_extend < 0 || gap_open > maximum || gap_extend > maximum)
    throw std::invalid_argument("gap costs " + std::to_string(gap_open) + ", " + std::to_string(gap_extend) +
                                ": each must be from 0 to 2^24");
  const auto [low, high] = std::minmax_element(scores_.begin(), scores_.end());
  lowest_ = *low;
  highest_ = *high;
  if (lowest_ < -maximum || highest_ > maximum)
    throw std::invalid_argument("scores from " + std::to_string(lowest_) + " to " + std::to_string(highest_) +
                                ": they must be within 2^24");
}

Scoring scoring(Preset preset, Alphabet alphabet) {
  const Values& v = values[static_cast<std::size_t>(preset)];
  const int n = symbol_count(alphabet);
  std::vector<std::int32_t> scores;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const bool similar = alphabet == Alphabet::codons && acid_of(a) == acid_of(b);
      scores.push_back(a == b ? v.exact : similar ? v.similar : v.dissimilar);
    }
  return Scoring(std::string(v.name), n, std::move(scores), v.gap_open, v.gap_extend);
}

Preset preset_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Values& v : values) {
    if (v.name == name) return static_cast<Preset>(&v - values);
    names.emplace_back(v.name);
  }
  throw std::invalid_argument(core::unknown_name("scoring", name, names));
}

std::string_view to_string(Preset preset) { return values[static_cast<std::size_t>(preset)].name; }

Scoring flat_scoring(int symbols, int exact, int dissimilar, int gap_open, int gap_extend) {
  std::vector<std::int32_t> scores;
  for (int a = 0; a < symbols; ++a)
    for (int b = 0; b < symbols; ++b) scores.push_back(a == b ? exact : dissimilar);
  return Scoring(std::to_string(exact) + "/" + std::to_string(dissimilar), symbols, std::move(scores), gap_open,
                 gap_extend);
}

namespace {

// In vectors, which one loop over threads and codes is not compiled to.
std::uint8_t largest_of(Codes codes) {
  std::uint8_t largest = 0;
  for (const std::uint8_t code : codes) largest = std::max(largest, code);
  return largest;
}

}  // namespace

void require_symbol(const Scoring& scoring, std::uint8_t code) {
  if (code >= scoring.symbols())
    throw std::invalid_argument("code " + std::to_string(code) + " in a sequence of " +
                                std::to_string(scoring.symbols()) + " symbols");
}

void require_exact(const Scoring& scoring, Codes main, Codes match) {
  for (const Codes codes : {main, match}) {
    const auto count = static_cast<std::int64_t>(codes.size());
    std::uint8_t largest = 0;
    constexpr std::int64_t block = std::int64_t{1} << 16;  // codes
#pragma omp parallel for reduction(max : largest) if (count > 16 * block)
    for (std::int64_t first = 0; first < count; first += block)
      largest = std::max(largest, largest_of(codes.subspan(static_cast<std::size_t>(first),
                                                           static_cast<std::size_t>(std::min(block, count - first)))));
    if (count > 0) require_symbol(scoring, largest);
  }
  require_bounded(scoring, main.size(), match.size());
}

void require_bounded(const Scoring& scoring, std::size_t main_length, std::size_t match_length) {
  const auto highest = static_cast<std::size_t>(std::max(1, scoring.highest()));
  if (std::min(main_length, match_length) > (std::size_t{1} << 30) / highest)
    throw std::invalid_argument("sequences of " + std::to_string(main_length) + " and " + std::to_string(match_length) +
                                " symbols with scores up to " + std::to_string(highest) + ": a score could pass 2^30");
}

}  // namespace speedwell::ssca1

#include "speedwell/apps/ssca1/data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/codons.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

// Products wrap modulo 2^64, which is a multiple of 2^46.
std::uint64_t power(std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t base = multiplier; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result & mask;
}

/// A string and its position: it follows the random symbols 0 … before - 1 of the sequence.
struct Insertion {
  std::int64_t before;
  std::vector<std::uint8_t> codes;
};

core::HostBuffer<std::uint8_t> make_sequence(std::int64_t length, std::uint64_t seed, int shift,
                                             const std::vector<Insertion>& insertions, int threads) {
  std::size_t size = static_cast<std::size_t>(length);
  for (const Insertion& insertion : insertions) size += insertion.codes.size();
  core::HostBuffer<std::uint8_t> made(size);
  // A thread fills its range of the finished sequence: runs of consecutive random symbols, and pieces of strings.
  core::parallel_for(size, 1, threads, [&](std::size_t begin, std::size_t end) {
    const auto fill_random = [&](std::size_t first, std::size_t last, std::size_t draw) {
      const std::size_t from = std::max(first, begin), to = std::min(last, end);
      if (from >= to) return;
      std::uint64_t x = random_draw(seed, draw + (from - first) + 1);
      for (std::size_t k = from; k < to; ++k, x = x * multiplier & mask)
        made[k] = static_cast<std::uint8_t>(x >> shift);
    };
    std::size_t at = 0, drawn = 0;
    for (const Insertion& insertion : insertions) {
      const std::size_t random = static_cast<std::size_t>(insertion.before) - drawn;
      fill_random(at, at + random, drawn);
      at += random;
      drawn += random;
      for (std::size_t k = 0; k < insertion.codes.size(); ++k, ++at)
        if (begin <= at && at < end) made[at] = insertion.codes[k];
    }
    fill_random(at, size, drawn);
  });
  return made;
}

void require_seed(std::uint64_t seed) {
  if (seed % 2 == 0 || seed > mask)
    throw std::invalid_argument("seed " + std::to_string(seed) + ": it must be odd and below 2^46");
}

}  // namespace

std::uint64_t random_draw(std::uint64_t seed, std::uint64_t k) { return power(k) * seed & mask; }

Data make_data(const DataOptions& options) {
  require_seed(options.main_seed);
  require_seed(options.match_seed);
  if (options.main_length < 0 || options.match_length < 0)
    throw std::invalid_argument("sequences of " + std::to_string(options.main_length) + " and " +
                                std::to_string(options.match_length) + " symbols");
  if (options.validation_strings && options.alphabet != Alphabet::codons)
    throw std::invalid_argument("the validation strings are codons: nucleotides have none");

  Data data;
  data.alphabet = options.alphabet;
  std::vector<Insertion> in_main, in_match;
  if (options.validation_strings) {
    std::int64_t inserted_main = 0, inserted_match = 0;
    int p = 0;
    for (const ValidationString& string : validation_strings()) {
      ++p;
      // floor(p * length / 7), computed without overflow
      const auto offset = [p](std::int64_t length) { return length / 7 * p + length % 7 * p / 7; };
      in_main.push_back({offset(options.main_length), main_codons(string)});
      in_match.push_back({offset(options.match_length), match_codons(string)});
      const std::int64_t main_at = in_main.back().before + inserted_main;
      const std::int64_t match_at = in_match.back().before + inserted_match;
      data.strings.push_back({.string = p,
                              .score = string.score,
                              .needs_similar = string.needs_similar,
                              .main_begin = main_at + string.main_begin,
                              .main_end = main_at + string.main_end,
                              .match_begin = match_at + string.match_begin,
                              .match_end = match_at + string.match_end});
      inserted_main += static_cast<std::int64_t>(in_main.back().codes.size());
      inserted_match += static_cast<std::int64_t>(in_match.back().codes.size());
    }
  }
  const int shift = options.alphabet == Alphabet::codons ? 40 : 44;  // the highest 6 or 2 bits of 46
  data.main = make_sequence(options.main_length, options.main_seed, shift, in_main, options.threads);
  data.match = make_sequence(options.match_length, options.match_seed, shift, in_match, options.threads);
  return data;
}

}  // namespace speedwell::ssca1

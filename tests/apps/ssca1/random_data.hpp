// Random pairs of sequences with relatives of each other's parts in them, and random scorings.
#pragma once

#include <vector>

#include "speedwell/apps/ssca1/scoring.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::ssca1::test {

using alignment::test::Random;
using Sequence = std::vector<std::uint8_t>;

inline Sequence random_sequence(Random& random, std::size_t length, int symbols) {
  Sequence made(length);
  for (std::uint8_t& code : made) code = static_cast<std::uint8_t>(random.below(static_cast<std::size_t>(symbols)));
  return made;
}

/// A sequence of about `length` symbols of which about every other piece is a relative of a piece of `of`.
inline Sequence with_relatives(Random& random, const Sequence& of, std::size_t length, int symbols) {
  Sequence made;
  while (made.size() < length) {
    const std::size_t piece = 5 + random.below(60);
    if (random.below(2) == 0 || of.size() < 5) {
      const Sequence other = random_sequence(random, piece, symbols);
      made.insert(made.end(), other.begin(), other.end());
    } else {
      const std::size_t begin = random.below(of.size() - 3), end = std::min(of.size(), begin + piece);
      const Sequence copy = random.relative(
          Sequence(of.begin() + static_cast<std::ptrdiff_t>(begin), of.begin() + static_cast<std::ptrdiff_t>(end)));
      made.insert(made.end(), copy.begin(), copy.end());
    }
  }
  made.resize(length);
  return made;
}

/// Scores from `low` to `high` at random, not symmetric; equal symbols score from 1 to `high`.
inline Scoring random_scoring(Random& random, int symbols, int low, int high, int gap_open, int gap_extend) {
  std::vector<std::int32_t> scores;
  for (int a = 0; a < symbols; ++a)
    for (int b = 0; b < symbols; ++b)
      scores.push_back(a == b ? random.between(1, high) : random.between(4 * low, high) / 4);
  return Scoring("random", symbols, std::move(scores), gap_open, gap_extend);
}

}  // namespace speedwell::ssca1::test

// For the tests of the GPU search: the definition of the score, and random sequences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment::test {

/// The best local score: H, E and F as defined, a row of the table at a time, in 64 bits. score(query, subject
/// residue).
template <class Score>
std::int64_t gotoh(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject, const Score& score,
                   std::int64_t gap_open, std::int64_t gap_extend) {
  constexpr std::int64_t never = -(std::int64_t{1} << 60);
  std::vector<std::int64_t> h(subject.size() + 1, 0), f(subject.size() + 1, never);
  std::int64_t best = 0;
  for (const std::uint8_t q : query) {
    std::int64_t diagonal = 0, e = never;
    for (std::size_t j = 1; j <= subject.size(); ++j) {
      e = std::max(e - gap_extend, h[j - 1] - gap_open - gap_extend);
      f[j] = std::max(f[j] - gap_extend, h[j] - gap_open - gap_extend);
      const std::int64_t here = std::max({std::int64_t{0}, diagonal + score(q, subject[j - 1]), e, f[j]});
      diagonal = std::exchange(h[j], here);
      best = std::max(best, here);
    }
  }
  return best;
}

inline std::int64_t gotoh(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject,
                          const Scoring& scoring) {
  const auto score = [&](int a, int b) { return scoring.matrix.score(a, b); };
  return gotoh(query, subject, score, scoring.gap_open, scoring.gap_extend);
}

using Random = std::mt19937_64;

inline std::vector<std::uint8_t> random_codes(Random& random, std::size_t length, std::size_t symbol_count) {
  std::vector<std::uint8_t> codes(length);
  for (auto& code : codes) code = static_cast<std::uint8_t>(random() % symbol_count);
  return codes;
}
/// Sequences of these lengths, all residues of the alphabet equally likely.
inline SequenceSet random_set(Random& random, Alphabet alphabet, const std::vector<std::size_t>& lengths) {
  SequenceSet set(alphabet);
  for (const std::size_t length : lengths) set.add_codes("r", random_codes(random, length, symbols(alphabet).size()));
  return set;
}
inline std::vector<std::size_t> random_lengths(Random& random, std::size_t count, std::size_t below) {
  std::vector<std::size_t> lengths(count);
  for (auto& length : lengths) length = random() % below;
  return lengths;
}

}  // namespace speedwell::alignment::test

// The second implementation that verdicts compare whole searches and long pairs with, compared with the reference.
#include "speedwell/apps/alignment/verify/cross_check.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

void expect_scores_of_the_reference(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring) {
  const std::vector<std::int32_t> got = cross_check::search_scores(queries, subjects, scoring, 2);
  ASSERT_EQ(got.size(), queries.size() * subjects.size());
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t s = 0; s < subjects.size(); ++s)
      ASSERT_EQ(got[q * subjects.size() + s], reference::best(queries.codes(q), subjects.codes(s), scoring).score)
          << scoring.matrix.name() << " " << scoring.gap_open << " " << scoring.gap_extend << ": " << q << ", " << s;
}

SequenceSet random_set(test::Random& random, Alphabet alphabet, std::size_t count, std::size_t max_length) {
  SequenceSet set(alphabet);
  for (std::size_t i = 0; i < count; ++i) {
    const auto codes = i > 0 && random.below(3) == 0
                           ? random.relative({set.codes(i - 1).begin(), set.codes(i - 1).end()})
                           : random.codes(alphabet, random.below(max_length));  // some have no residues
    set.add_codes(std::to_string(i), codes);
  }
  return set;
}

TEST(CrossCheck, ScoresOfSearchesOfAnyShape) {
  test::Random random(20261125);
  for (const auto& [q, s] : {std::pair{3, 150}, {150, 3}, {1, 1}, {20, 33}, {0, 4}, {4, 0}}) {
    const auto count_q = static_cast<std::size_t>(q), count_s = static_cast<std::size_t>(s);
    for (const Scoring& scoring : {Scoring{named_matrix("BLOSUM62"), 11, 1}, Scoring{named_matrix("PAM30"), 9, 1},
                                   Scoring{named_matrix("BLOSUM45"), 0, 2}, Scoring{named_matrix("BLOSUM50"), 1, 0},
                                   Scoring{named_matrix("BLOSUM62"), 1000000, 1000000}})
      expect_scores_of_the_reference(random_set(random, Alphabet::protein, count_q, 120),
                                     random_set(random, Alphabet::protein, count_s, 120), scoring);
    for (const Scoring& scoring : {Scoring{match_mismatch(2, -3), 5, 2}, Scoring{match_mismatch(100, -90), 200, 7}})
      expect_scores_of_the_reference(random_set(random, Alphabet::dna, count_q, 150),
                                     random_set(random, Alphabet::dna, count_s, 150), scoring);
  }
}

TEST(CrossCheck, ScoresBeyond16Bits) {
  test::Random random(5);
  SequenceSet queries(Alphabet::dna), subjects(Alphabet::dna);
  std::vector<std::uint8_t> word(700);
  for (auto& code : word) code = static_cast<std::uint8_t>(random.below(4));
  queries.add_codes("q", word);
  for (const std::size_t length : {10, 328, 329, 330, 700, 20})  // 327 * 100 is the most that 16 bits hold
    subjects.add_codes("s", std::span(word).first(length));
  expect_scores_of_the_reference(queries, subjects, {match_mismatch(100, -100), 50, 10});
  EXPECT_EQ(cross_check::search_scores(queries, queries, {match_mismatch(100, -100), 50, 10}).front(), 70000);
}

TEST(CrossCheck, EndsOfPairsOfSeveralTiles) {
  test::Random random(6);
  for (const auto& [m, n] : {std::pair{1, 1}, {0, 5}, {5, 0}, {300, 9000}, {9000, 300}, {4096, 4096}, {4097, 8193}}) {
    const auto query = random.codes(Alphabet::dna, static_cast<std::size_t>(m));
    for (const bool related : {false, true}) {
      auto subject = related ? random.relative(query) : random.codes(Alphabet::dna, static_cast<std::size_t>(n));
      if (related) subject.resize(static_cast<std::size_t>(n));
      for (const Scoring& scoring : {Scoring{match_mismatch(2, -3), 5, 2}, Scoring{match_mismatch(1, -1), 0, 1}}) {
        const reference::Best best = reference::best(query, subject, scoring);
        EXPECT_EQ(cross_check::find_end(query, subject, scoring, 2),
                  (EndPoint{static_cast<std::int32_t>(best.score), static_cast<std::int32_t>(best.query_end),
                            static_cast<std::int32_t>(best.subject_end)}))
            << m << " x " << n;
      }
    }
  }
}

// Equal bests in several tiles: the first row's, then the first column's.
TEST(CrossCheck, TiesGoToTheSmallestQueryEndThenTheSmallestSubjectEnd) {
  std::vector<std::uint8_t> query(9000, 14), subject(9000, 14);
  const auto put = [](std::vector<std::uint8_t>& in, std::size_t at) {
    for (std::size_t k = 0; k < 8; ++k) in[at + k] = static_cast<std::uint8_t>(k * k % 4);
  };
  for (const std::size_t at : {8500u, 4090u, 5000u}) put(query, at);
  for (const std::size_t at : {8600u, 4095u, 100u}) put(subject, at);
  for (int trial = 0; trial < 5; ++trial)
    EXPECT_EQ(cross_check::find_end(query, subject, {match_mismatch(2, -3), 5, 2}, 2), (EndPoint{16, 4098, 108}));
}

TEST(CrossCheck, RefusesWhatASearchRefuses) {
  SequenceSet protein(Alphabet::protein), dna(Alphabet::dna);
  EXPECT_THROW(cross_check::search_scores(protein, dna, {named_matrix("BLOSUM62"), 11, 1}), std::invalid_argument);
  EXPECT_THROW(cross_check::find_end({}, {}, {match_mismatch(2, -3), 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::alignment

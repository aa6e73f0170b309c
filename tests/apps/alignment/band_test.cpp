// The sweep of one huge pair, lane by lane on the host, compared with the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/host_bands.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

using test::Options;
using test::Residues;
using test::Result;
using test::sweep_pair;

template <class Scores, int R>
Result expect_exact(const Residues& query, const Residues& subject, const Scoring& scoring) {
  const int highest = classify(query, subject, scoring.matrix).highest;
  const std::optional<Window> window = find_window(64 * R, highest, scoring.gap_open, scoring.gap_extend);
  if (!window) {
    ADD_FAILURE() << "no window for " << R << " rows";
    return {};
  }
  Result got = sweep_pair<Scores, R>(query, subject, scoring, *window);
  const reference::Best expected = reference::best(query, subject, scoring);
  EXPECT_EQ(got.best.score, expected.score);
  EXPECT_EQ(got.best.row, static_cast<std::int64_t>(expected.query_end));
  EXPECT_EQ(got.best.column, static_cast<std::int64_t>(expected.subject_end));
  // With nothing known, with the score known, and with less than that known.
  for (const std::int64_t known : {std::int64_t{0}, expected.score, expected.score / 2}) {
    const Result pruned = sweep_pair<Scores, R>(query, subject, scoring, *window, {.known = known});
    EXPECT_EQ(pruned.best.score, expected.score) << known;
    EXPECT_EQ(pruned.best.row, static_cast<std::int64_t>(expected.query_end)) << known;
    EXPECT_EQ(pruned.best.column, static_cast<std::int64_t>(expected.subject_end)) << known;
    got.pruned = pruned.pruned;
  }
  if (::testing::Test::HasFailure())
    ADD_FAILURE() << "R " << R << ", " << query.size() << " x " << subject.size() << ", gaps " << scoring.gap_open
                  << "," << scoring.gap_extend;
  return got;
}

Scoring dna(int match, int mismatch, int open, int extend) { return {match_mismatch(match, mismatch), open, extend}; }
Scoring blosum62(int open = 11, int extend = 1) { return {named_matrix("BLOSUM62"), open, extend}; }

Residues random_residues(test::Random& random, std::size_t length, std::size_t symbol_count) {
  Residues made(length);
  for (auto& code : made) code = static_cast<std::uint8_t>(random.below(symbol_count));
  return made;
}

// A band of R = 2 has 128 rows; a chunk 64 columns; the last strip is 126 columns behind.
TEST(Band, LengthsAroundStripsBandsAndChunks) {
  test::Random random(1);
  for (const std::size_t m : {1, 2, 3, 4, 5, 63, 127, 128, 129, 255, 256, 257, 300})
    for (const std::size_t n : {1, 2, 3, 63, 64, 65, 66, 67, 126, 127, 128, 129, 193, 260}) {
      expect_exact<PairScores, 2>(random_residues(random, m, 4), random_residues(random, n, 4), dna(2, -3, 5, 2));
      expect_exact<ResidueScores, 2>(random_residues(random, m, 4), random_residues(random, n, 4), dna(5, -4, 2, 1));
      if (HasFailure()) return;
    }
}

// Each GPU has its own copy of the row between two bands.
TEST(Band, SeveralGpusPassTheirLastRowsOn) {
  test::Random random(12);
  const Scoring scoring = dna(2, -3, 5, 2);
  for (const std::size_t m : {100, 700, 1500}) {
    const Residues query = random_residues(random, m, 4);
    for (const Residues& subject : {random.relative(query), random_residues(random, 500, 4)}) {
      const std::optional<Window> window =
          find_window(64 * 2, classify(query, subject, scoring.matrix).highest, scoring.gap_open, scoring.gap_extend);
      ASSERT_TRUE(window);
      for (const std::int64_t known : {-1, 0}) {
        const auto sweep = [&](std::size_t gpus, PairChecks& checks) {
          checks = PairChecks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(subject.size()), 2);
          return sweep_pair<PairScores, 2>(query, subject, scoring, *window,
                                           {.known = known, .checks = &checks, .gpus = gpus});
        };
        PairChecks of_one, of_several;
        const Result one = sweep(1, of_one);
        for (const std::size_t gpus : {2, 3, 5}) {
          const Result several = sweep(gpus, of_several);
          EXPECT_EQ(several.best.score, one.best.score) << gpus;
          EXPECT_EQ(several.best.row, one.best.row) << gpus;
          EXPECT_EQ(several.best.column, one.best.column) << gpus;
          EXPECT_EQ(of_several.sums, of_one.sums) << gpus;
          EXPECT_EQ(of_several.maximum, of_one.maximum) << gpus;
        }
      }
    }
  }
}

TEST(Band, RelatedSequencesWithManyGaps) {
  test::Random random(2);
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(1, -1, 0, 1), dna(5, -3, 8, 1), dna(1, -2, 1, 0), dna(3, 1, 4, 2),
                              dna(1, 0, 3, 1), dna(2, -3, 100, 2), Scoring{named_matrix("NUC.4.4"), 10, 1}})
    for (const std::size_t m : {200, 700, 1200}) {
      const Residues query = random_residues(random, m, 4);
      const Residues subject = random.relative(query);
      expect_exact<PairScores, 4>(query, subject, scoring);
      expect_exact<PairScores, 4>(subject, query, scoring);
      expect_exact<ResidueScores, 3>(query, subject, scoring);
      expect_exact<PairScores, 16>(query, subject, scoring);
      if (HasFailure()) return;
    }
}

TEST(Band, ProteinsOfAllResidues) {
  test::Random random(3);
  for (const std::size_t m : {90, 400, 1000}) {
    const Residues query = random_residues(random, m, 25);
    Residues subject = random_residues(random, 300, 25);
    const Residues related = random.relative(query);
    subject.insert(subject.end(), related.begin(), related.end());
    expect_exact<ResidueScores, 8>(query, subject, blosum62());
    expect_exact<ResidueScores, 4>(subject, query, blosum62(3, 2));
  }
}

TEST(Band, ScoresFarBeyond16Bits) {
  test::Random random(4);
  for (const auto& scoring : {dna(20, -30, 25, 3), dna(30, -20, 10, 1)}) {
    const Residues query = random_residues(random, 4000, 4);
    Residues subject = random_residues(random, 500, 4);
    const Residues related = random.relative(query), tail = random_residues(random, 700, 4);
    subject.insert(subject.end(), related.begin(), related.end());
    subject.insert(subject.end(), tail.begin(), tail.end());
    const Result got = expect_exact<PairScores, 2>(query, subject, scoring);
    EXPECT_GT(got.best.score, 40000);
    expect_exact<ResidueScores, 2>(subject, query, scoring);
  }
}

// Up, down to nothing, and up again: the base follows in both directions, and the clamp at 0 acts when it is needed.
TEST(Band, ScoresThatRiseAndFall) {
  test::Random random(5);
  const Residues query = random_residues(random, 1500, 4);
  Residues subject(query.begin(), query.begin() + 1200);
  for (int i = 0; i < 1500; ++i) subject.push_back(static_cast<std::uint8_t>(4 + random.below(3)));  // matches nothing
  subject.insert(subject.end(), query.begin() + 100, query.end());
  for (const auto& scoring : {dna(30, -30, 40, 5), dna(25, -127, 3, 8)}) {
    expect_exact<PairScores, 2>(query, subject, scoring);
    expect_exact<PairScores, 3>(subject, query, scoring);
  }
}

TEST(Band, OneResidueAndNoMatchAtAll) {
  for (const auto& [m, n] : {std::pair{300, 500}, {500, 300}, {1, 700}, {700, 1}}) {
    const Residues a(static_cast<std::size_t>(m), 0), b(static_cast<std::size_t>(n), 0),
        other(static_cast<std::size_t>(n), 1), ambiguous(static_cast<std::size_t>(n), 14);
    for (const auto& scoring : {dna(2, -3, 5, 2), dna(40, -3, 0, 1), dna(1, -1, 1, 0)}) {
      expect_exact<PairScores, 2>(a, b, scoring);
      EXPECT_EQ((expect_exact<PairScores, 2>(a, other, scoring)).best.score, 0);
      EXPECT_EQ((expect_exact<PairScores, 2>(a, ambiguous, scoring)).best.score, 0);
    }
  }
}

// Equal bests in one row, in several strips, bands and chunks.
TEST(Band, TiesGoToTheSmallestQueryEndThenTheSmallestSubjectEnd) {
  test::Random random(6);
  for (int trial = 0; trial < 40; ++trial) {
    const Residues word = random_residues(random, 5 + random.below(10), 4);
    const auto repeated = [&](std::size_t times, std::uint8_t between) {
      Residues made;
      for (std::size_t i = 0; i < times; ++i) {
        made.insert(made.end(), random.below(60), between);
        made.insert(made.end(), word.begin(), word.end());
      }
      return made;
    };
    expect_exact<PairScores, 2>(repeated(1 + random.below(12), 10), repeated(1 + random.below(12), 11),
                                dna(2, -3, 5, 2));
    if (HasFailure()) return;
  }
}

// Far from the diagonal of two relatives nothing can become the best, and most chunks are passed in one go; scores on
// the diagonal are beyond 16 bits, those beside pruned chunks begin at 0.
TEST(Band, DeadChunksFarFromTheBestAlignment) {
  test::Random random(8);
  for (const auto& scoring : {dna(30, -20, 10, 1), dna(2, -3, 5, 2), dna(20, -30, 25, 3)}) {
    const Residues query = random_residues(random, 3500, 4);
    const Residues subject = random.relative(query);
    const Result got = expect_exact<PairScores, 2>(query, subject, scoring);
    EXPECT_GT(got.pruned, 0);
    Residues shifted = random_residues(random, 1500, 4);
    shifted.insert(shifted.end(), subject.begin(), subject.end());
    expect_exact<PairScores, 2>(query, shifted, scoring);
    expect_exact<PairScores, 2>(shifted, query, scoring);
  }
}

TEST(Band, ScoresThatSpreadTooFarHaveNoWindow) {
  EXPECT_TRUE(find_window(1024, 2, 5, 2));
  EXPECT_TRUE(find_window(1024, 5, 8, 1));
  EXPECT_TRUE(find_window(1024, 11, 11, 1));
  EXPECT_FALSE(find_window(1024, 100, 11, 1));
  EXPECT_FALSE(find_window(1024, 5, 100000, 100000));
  EXPECT_FALSE(find_window(128, 127, 1, 1));
}

// Without its window the same sweep must go wrong: the test above can fail.
TEST(Band, AWindowThatIsTooWideGoesWrong) {
  test::Random random(7);
  const Residues query = random_residues(random, 4000, 4);
  const Scoring scoring = dna(20, -30, 25, 3);
  const Window never{.low = 0, .high = 1 << 30, .target = 0, .slack = 34};
  const Result got = sweep_pair<PairScores, 2>(query, query, scoring, never);
  EXPECT_NE(got.best.score, reference::best(query, query, scoring).score);
}

TEST(Band, ResiduesThatScoreAlikeAreOneClass) {
  const Residues all{0, 1, 2, 3, 4, 14};
  const ResidueClasses dna_classes = classify(all, all, match_mismatch(2, -3));
  EXPECT_EQ(dna_classes.count, 5);  // A, C, G, T and the rest, which is padding too
  EXPECT_EQ(dna_classes.of_code[4], dna_classes.of_code[14]);
  EXPECT_EQ(classify({all.data(), 4}, {all.data(), 4}, match_mismatch(2, -3)).count, 5);
  EXPECT_EQ(classify(all, all, match_mismatch(2, 0)).count, 6);     // the rest may not be padding
  EXPECT_EQ(classify(all, all, named_matrix("NUC.4.4")).count, 6);  // N with N scores -1: padding
}

}  // namespace
}  // namespace speedwell::alignment

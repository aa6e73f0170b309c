// The checks that a sweep in bands records (verify/pair_checks.hpp): those of the bands, which are computed lane by
// lane, are those of the whole table that the CPU variant computes, which are those of the reference's table; and one
// wrong element of a row between bands is found.
#include "speedwell/apps/alignment/verify/pair_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/host_bands.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

using test::Residues;

Residues random_residues(test::Random& random, std::size_t length) {
  Residues made(length);
  for (auto& code : made) code = static_cast<std::uint8_t>(random.below(4));
  return made;
}

constexpr int strip = 2;  // rows of a strip; a band has 64 strips, which are 128 rows

PairChecks checks_of_bands(const Residues& query, const Residues& subject, const Scoring& scoring,
                           std::int64_t known = -1) {
  PairChecks checks(static_cast<std::int64_t>(query.size()), static_cast<std::int64_t>(subject.size()), strip);
  const auto window =
      find_window(64 * strip, classify(query, subject, scoring.matrix).highest, scoring.gap_open, scoring.gap_extend);
  test::sweep_pair<PairScores, strip>(query, subject, scoring, window.value(), {.known = known, .checks = &checks});
  return checks;
}

class PairChecksTest : public testing::Test {
 protected:
  test::Random random{20261126};
  Scoring scoring{match_mismatch(2, -3), 5, 2};
  Residues query = random_residues(random, 700), subject = random_residues(random, 9000);

  // Puts copies of one random segment into both sequences, so that there are alignments with high scores.
  void plant_common_segments() {
    const Residues word = random_residues(random, 150);
    for (const std::size_t at : {100u, 400u}) std::copy(word.begin(), word.end(), query.begin() + at);
    for (const std::size_t at : {800u, 4000u, 8700u}) std::copy(word.begin(), word.end(), subject.begin() + at);
  }
  ExpectedChecks expect(const PairChecks& got) const { return expected_checks(query, subject, scoring, got, 2); }
};

TEST_F(PairChecksTest, TheCpuTableAgreesWithTheReferenceTable) {
  plant_common_segments();
  const PairChecks shape(700, 9000, strip);
  const ExpectedChecks expected = expect(shape);
  const reference::Table table = reference::table(query, subject, scoring);
  const std::int64_t first = scoring.gap_open + scoring.gap_extend, next = scoring.gap_extend;
  PairChecks computed = shape;  // with sums from the reference's table
  std::vector<std::int32_t> maximum(computed.maximum.size());
  for (std::size_t i = 1; i <= query.size(); ++i)
    for (std::size_t j = 1; j <= subject.size(); ++j) {
      const auto row = static_cast<std::int64_t>(i) - 1, column = static_cast<std::int64_t>(j) - 1;
      std::int32_t& block = maximum[computed.index_of(row, column)];
      block = std::max(block, static_cast<std::int32_t>(table.H(i, j)));
      if (i % 128 != 0) continue;
      const std::int64_t f = std::max({std::int64_t{0}, table.H(i, j) - first, table.f[i * table.columns + j] - next});
      computed.sums[computed.index_of_last_row(row / 128, column)] +=
          border_hash(column, static_cast<std::int32_t>(table.H(i, j)), static_cast<std::int32_t>(f));
    }
  EXPECT_EQ(expected.checks.sums, computed.sums);
  for (std::size_t at = 0; at < maximum.size(); ++at) EXPECT_GE(expected.checks.maximum[at], maximum[at]) << at;
  EXPECT_FALSE(expected.cells.empty());
  for (const KnownCell& cell : expected.cells)
    EXPECT_EQ(cell.score, table.H(static_cast<std::size_t>(cell.row) + 1, static_cast<std::size_t>(cell.column) + 1));
  const reference::Best best = reference::best(query, subject, scoring);
  EXPECT_EQ(expected.end.score, best.score);
}

TEST_F(PairChecksTest, BandsAgreeWithTheCpuTable) {
  for (const bool related : {false, true}) {
    if (related) plant_common_segments();
    for (const auto& [open, extend] : {std::pair{5, 2}, {0, 1}, {12, 1}, {3, 0}}) {
      scoring.gap_open = open, scoring.gap_extend = extend;
      const PairChecks got = checks_of_bands(query, subject, scoring);
      std::size_t passed_over = 0;
      EXPECT_EQ(wrong_checks(expect(got), got, scoring, &passed_over), 0u) << open << " " << extend;
      EXPECT_EQ(passed_over, 0u);
      EXPECT_NE(got.sums[0], got.sums[1]);
    }
  }
}

TEST_F(PairChecksTest, BandsOfAnyLengthsAgreeWithTheCpuTable) {
  for (const std::size_t m : {1u, 127u, 128u, 129u, 300u})
    for (const std::size_t n : {1u, 2u, 127u, 128u, 129u, 1100u, 1400u, 5400u}) {
      query = random_residues(random, m), subject = random_residues(random, n);
      const PairChecks got = checks_of_bands(query, subject, scoring);
      EXPECT_EQ(wrong_checks(expect(got), got, scoring), 0u) << m << " x " << n;
    }
}

TEST_F(PairChecksTest, OneWrongElementOfARowBetweenBandsIsSeen) {
  const PairChecks got = checks_of_bands(query, subject, scoring);
  const ExpectedChecks expected = expect(got);
  ASSERT_EQ(wrong_checks(expected, got, scoring), 0u);
  for (const std::int64_t band : {0, 2, 4})
    for (const std::int64_t column : {0, 1, 126, 4095, 8998, 8999})
      for (const auto& [h, f] : {std::pair{1, 0}, {-1, 0}, {0, 1}}) {
        // The hash of an element with H = 7 and F = 3 is replaced by that of another one.
        PairChecks faulty = got;
        faulty.sums[got.index_of_last_row(band, column)] +=
            border_hash(column, 7 + h, 3 + f) - border_hash(column, 7, 3);
        EXPECT_EQ(wrong_checks(expected, faulty, scoring), 1u) << band << " " << column << " " << h << " " << f;
      }
  // Two elements that are exchanged.
  PairChecks faulty = got;
  faulty.sums[got.index_of_last_row(1, 500)] +=
      border_hash(500, 7, 0) + border_hash(501, 3, 0) - border_hash(500, 3, 0) - border_hash(501, 7, 0);
  EXPECT_EQ(wrong_checks(expected, faulty, scoring), 1u);
}

// A residue that is read wrongly, far from the best alignment: the end point does not change, the checks do.
TEST_F(PairChecksTest, OneWrongResidueIsSeenAlthoughTheEndIsRight) {
  plant_common_segments();
  const ExpectedChecks expected = expect(PairChecks(700, 9000, strip));
  Residues wrong = subject;
  wrong[6000] = static_cast<std::uint8_t>((wrong[6000] + 1) % 4);
  EXPECT_EQ(find_end(query, wrong, scoring), expected.end);
  EXPECT_GT(wrong_checks(expected, checks_of_bands(query, wrong, scoring), scoring), 0u);
}

TEST_F(PairChecksTest, BlocksThatAreTooHighOrTooLowAreSeen) {
  plant_common_segments();
  const PairChecks got = checks_of_bands(query, subject, scoring);
  const ExpectedChecks expected = expect(got);
  for (std::size_t at = 0; at < got.maximum.size(); ++at) {
    PairChecks faulty = got;
    faulty.maximum[at] = expected.checks.maximum[at] + 1;
    EXPECT_EQ(wrong_checks(expected, faulty, scoring), 1u) << at;
    faulty.maximum[at] = -1;
    EXPECT_EQ(wrong_checks(expected, faulty, scoring), 1u) << at;
  }
  for (const KnownCell& cell : expected.cells) {
    PairChecks faulty = got;
    // One less than the gap penalties of the three rows between sampled ones allow.
    faulty.maximum[got.index_of(cell.row, cell.column)] =
        cell.score - scoring.gap_open - (sampled_rows - 1) * scoring.gap_extend - 1;
    EXPECT_EQ(wrong_checks(expected, faulty, scoring), 1u) << cell.row << " " << cell.column;
  }
}

// Two sequences that are similar along the whole diagonal: many chunks are pruned. The checks of the others must be
// exact, and no H of any block may be too large.
TEST_F(PairChecksTest, PrunedChunksAreNotWrong) {
  subject = random.relative(query);
  const std::int64_t known = find_end(query, subject, scoring).score;
  const PairChecks got = checks_of_bands(query, subject, scoring, known);
  std::size_t passed_over = 0;
  EXPECT_EQ(wrong_checks(expect(got), got, scoring, &passed_over), 0u);
  EXPECT_GT(passed_over, 0u);
  EXPECT_LT(passed_over, got.sums.size());
}

TEST_F(PairChecksTest, AnotherShapeOrPoisonIsWrong) {
  const PairChecks got = checks_of_bands(query, subject, scoring);
  const ExpectedChecks expected = expect(got);
  EXPECT_GT(wrong_checks(expected, PairChecks(700, 9000, 8), scoring), 0u);
  EXPECT_GT(wrong_checks(expected, {}, scoring), 0u);
  PairChecks poisoned = got;
  std::fill(poisoned.sums.begin(), poisoned.sums.end(), 0xffffffffu);
  std::fill(poisoned.maximum.begin(), poisoned.maximum.end(), -1);
  std::fill(poisoned.first_pruned.begin(), poisoned.first_pruned.end(), -1);
  EXPECT_EQ(wrong_checks(expected, poisoned, scoring), got.sums.size());
}

}  // namespace
}  // namespace speedwell::alignment

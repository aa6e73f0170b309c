// The path of one huge pair from special rows, lane by lane on the host, compared with align().
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/apps/alignment/host_segments.hpp"
#include "tests/apps/alignment/random_sequences.hpp"
#include "tests/apps/alignment/same_alignment.hpp"

namespace speedwell::alignment {
namespace {

using test::expect_same;
using test::Residues;
using test::Traced;

Scoring dna(int match, int mismatch, int open, int extend) { return {match_mismatch(match, mismatch), open, extend}; }

Residues random_residues(test::Random& random, std::size_t length, std::size_t symbol_count = 4) {
  Residues made(length);
  for (auto& code : made) code = static_cast<std::uint8_t>(random.below(symbol_count));
  return made;
}
Residues joined(std::initializer_list<Residues> parts) {
  Residues made;
  for (const Residues& part : parts) made.insert(made.end(), part.begin(), part.end());
  return made;
}

/// Special rows after `every` bands of 128 rows; tiles of 256 rows. `guess`: for all segments, instead of the usual
/// one.
Traced expect_traceback(const Residues& query, const Residues& subject, const Scoring& scoring, std::int64_t every,
                        std::optional<RowBest> guess = {}) {
  const int highest = classify(query, subject, scoring.matrix).highest;
  const std::optional<Window> window = find_window(128, highest, scoring.gap_open, scoring.gap_extend);
  if (!window) {
    ADD_FAILURE() << "no window";
    return {};
  }
  const bool pair_table = classify(query, subject, scoring.matrix).count <= PairScores::max_classes;
  const auto align_it =
      pair_table ? test::align_by_segments<PairScores, 2, 8> : test::align_by_segments<ResidueScores, 2, 8>;
  const Traced traced = align_it(query, subject, scoring, *window, every, guess);
  expect_same(traced.alignment, align(query, subject, scoring), query, subject, scoring);
  return traced;
}

const std::vector<Scoring>& scorings() {
  static const std::vector<Scoring> all{dna(2, -3, 5, 2), dna(1, -1, 0, 1), dna(5, -3, 8, 1), dna(1, -2, 1, 0),
                                        dna(20, -30, 25, 3)};
  return all;
}

TEST(Segments, ThePathIsThatOfAlign) {
  test::Random random(9);
  for (const Scoring& scoring : scorings())
    for (int trial = 0; trial < 6; ++trial) {
      const Residues query = random_residues(random, 500 + random.below(1500), trial < 3 ? 4 : 2);
      const Residues subject = joined({random_residues(random, random.below(400)), random.relative(query),
                                       random_residues(random, random.below(400))});
      expect_traceback(query, subject, scoring, 1 + trial);
      expect_traceback(subject, query, scoring, 1 + trial % 2);
      if (HasFailure()) return;
    }
}

// Ends of the path in the first and the last rows of a segment, of a tile and of a lane.
TEST(Segments, LengthsAroundLanesTilesAndSegments) {
  test::Random random(10);
  const Scoring scoring = dna(2, -3, 5, 2);
  for (const std::size_t m : {1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 263, 264, 265, 511, 512, 513, 640, 641}) {
    const Residues query = random_residues(random, m), related = random.relative(query);
    for (const std::size_t n : {1, 31, 32, 33, 200, 700}) {
      Residues subject = joined({related, random_residues(random, n)});
      subject.resize(std::max<std::size_t>(n, 1), 3);
      for (const std::int64_t every : {1, 2, 3}) expect_traceback(query, subject, scoring, every);
      expect_traceback(subject, query, scoring, 1);
      if (HasFailure()) return;
    }
  }
}

TEST(Segments, ProteinsOfAllResidues) {
  test::Random random(11);
  for (const auto& scoring : {Scoring{named_matrix("BLOSUM62"), 11, 1}, Scoring{named_matrix("PAM30"), 9, 1}}) {
    const Residues query = random_residues(random, 900, 25);
    const Residues subject = joined({random_residues(random, 200, 25), random.relative(query)});
    expect_traceback(query, subject, scoring, 1);
    expect_traceback(subject, query, scoring, 4);
  }
}

// Special rows are crossed inside gaps of the subject, and windows must grow for gaps of the query, which are in the
// first tile of a segment or in the second.
TEST(Segments, LongGaps) {
  test::Random random(12);
  int in_gaps = 0, max_doublings = 0;
  for (const std::size_t before : {700, 1000})
    for (const std::size_t gap : {100, 300, 700}) {
      const Residues left = random_residues(random, before), right = random_residues(random, 600);
      const Residues longer = joined({left, random_residues(random, gap), right}), shorter = joined({left, right});
      for (const auto& scoring : {dna(10, -30, 25, 3), dna(2, -3, 5, 0), dna(5, -3, 8, 1)})
        for (const std::int64_t every : {1, 5}) {
          in_gaps += expect_traceback(longer, shorter, scoring, every).in_gaps;
          max_doublings = std::max(max_doublings, expect_traceback(shorter, longer, scoring, every).max_doublings);
        }
    }
  EXPECT_GT(in_gaps, 0);
  EXPECT_GT(max_doublings, 0);
}

TEST(Segments, ManyBestPaths) {
  test::Random random(13);
  const Residues unit = random_residues(random, 37);
  Residues repeats, other;
  for (int i = 0; i < 30; ++i) repeats.insert(repeats.end(), unit.begin(), unit.end());
  for (int i = 0; i < 17; ++i) other.insert(other.end(), unit.begin() + 3, unit.end());
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(1, -1, 0, 1), dna(1, -2, 1, 0)}) {
    for (const std::int64_t every : {1, 2, 4}) expect_traceback(repeats, other, scoring, every);
    expect_traceback(other, repeats, scoring, 2);
    expect_traceback(Residues(400, 0), Residues(700, 0), scoring, 1);
    expect_traceback(Residues(700, 0), Residues(400, 0), scoring, 1);
    expect_traceback(Residues(300, 0), Residues(300, 1), scoring, 1);
  }
}

// The best cells of special rows belong to other alignments, which end before the best one does.
TEST(Segments, GuessesOnOtherAlignments) {
  test::Random random(14);
  const Scoring scoring = dna(2, -3, 5, 2);
  for (int trial = 0; trial < 4; ++trial) {
    const Residues one = random_residues(random, 500), two = random_residues(random, 560);
    const Residues query = joined({one, random_residues(random, 40 + random.below(100)), two});
    const Residues subject = joined({random_residues(random, 300), random.relative(two), random_residues(random, 500),
                                     random.relative(one), random_residues(random, 200)});
    for (const std::int64_t every : {1, 2, 4}) expect_traceback(query, subject, scoring, every);
    // The alignment with the best cell begins in the middle of a row of `one`'s.
    expect_traceback(joined({one, one}), joined({one, random_residues(random, 2000)}), scoring, 1);
    if (HasFailure()) return;
  }
}

// Wherever they start, the path is the same: only the number of rounds is not.
TEST(Segments, GuessesDecideNothingButTheRounds) {
  test::Random random(15);
  const Scoring scoring = dna(2, -3, 5, 2);
  const Residues query = random_residues(random, 1500), subject = random.relative(query);
  const Traced usual = expect_traceback(query, subject, scoring, 1);
  EXPECT_GT(usual.pruned, 0);
  EXPECT_LE(usual.counts.rounds, 2);
  EXPECT_LE(usual.counts.jobs, 2 * usual.counts.segments);
  EXPECT_EQ(usual.uncertified, 0);
  for (const RowBest guess : {RowBest{1, 1}, RowBest{1000, 700}, RowBest{0, 0}}) {
    const Traced traced = expect_traceback(query, subject, scoring, 1, guess);
    EXPECT_GT(traced.counts.rounds, 2);
  }
}

// Diagonals from wrong guesses never meet that of the end point: one segment is settled a round, and what is traced
// far ahead of it in vain is bounded.
TEST(Segments, PathsThatNeverRunTogether) {
  constexpr std::int32_t rows = 4, segments = 600;
  const Residues residues(rows * segments, 0);
  const auto diagonals = [](std::span<const SegmentJob> jobs, int) {
    std::vector<TracedSegment> traced;
    for (const SegmentJob& job : jobs)
      traced.push_back({{.column = job.column - job.rows,
                         .in = job.first_row == 0 ? TraceState::done : TraceState::h,
                         .value = job.value - job.rows,
                         .certified = 1,
                         .value_met = job.value,
                         .runs = 1},
                        {static_cast<std::uint32_t>(job.rows) << 2}});
    return traced;
  };
  const std::vector<RowBest> guesses(segments - 1, RowBest{1, 100000});
  TracebackCounts counts;
  const Scoring scoring = dna(1, -1, 1, 1);
  const Alignment got = align_segments(residues, residues, scoring, {rows * segments, rows * segments, rows * segments},
                                       rows, guesses, diagonals, counts);
  EXPECT_EQ(cigar_string(got.cigar), "2400=");
  EXPECT_EQ(got.query_begin, 1);
  EXPECT_EQ(got.subject_begin, 1);
  EXPECT_EQ(counts.rounds, segments);
  EXPECT_LT(counts.jobs, 256u * segments);
}

// More rows between special rows than in a tile of the kernel.
TEST(Segments, TilesOfTheKernel) {
  test::Random random(16);
  const Scoring scoring = dna(2, -3, 5, 2);
  const Residues query = random_residues(random, 4500);
  const Residues subject = joined({random_residues(random, 700), random.relative(query)});
  const std::optional<Window> window = find_window(1024, 2, 5, 2);
  ASSERT_TRUE(window);
  for (const std::int64_t every : {1, 3}) {
    const Traced traced = test::align_by_segments<PairScores, 16, 32>(query, subject, scoring, *window, every);
    expect_same(traced.alignment, align(query, subject, scoring), query, subject, scoring);
    EXPECT_LE(traced.counts.rounds, 2);
  }
}

TEST(Segments, WindowsOfJobs) {
  const SegmentJob small{.rows = 1000, .column = 100000}, left{.rows = 1000, .column = 500},
      tall{.rows = 30000, .column = 4000000};
  EXPECT_EQ(plan_windows({&small, 1}, 0, 1024).code_columns, 1314);
  EXPECT_EQ(plan_windows({&small, 1}, 0, 1024).kept_rows, 0);
  EXPECT_EQ(plan_windows({&small, 1}, 20, 1024).code_columns, 100000);
  EXPECT_EQ(plan_windows({&left, 1}, 0, 1024).code_columns, 500);
  const SegmentWindows windows = plan_windows({&tall, 1}, 1, 1024);
  EXPECT_EQ(windows.row_columns, 75128);
  EXPECT_EQ(windows.code_columns, 10752);
  EXPECT_EQ(windows.kept_rows, 29);
  EXPECT_EQ(windows.run_limit, 105128);
}

}  // namespace
}  // namespace speedwell::alignment

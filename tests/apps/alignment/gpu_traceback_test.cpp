// GpuPair's alignments against align(). SpeedOfThePathLarge prints where the time of an alignment goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/gpu_pair_fixture.hpp"
#include "tests/apps/alignment/same_alignment.hpp"

namespace speedwell::alignment {
namespace {

using test::blosum62;
using test::dna;
using test::expect_same;
using test::given_length;
using test::GpuPairTest;
using test::Residues;
using test::tunings;

void expect_alignment(GpuPair& pair, const Residues& query, const Residues& subject, const Scoring& scoring) {
  expect_same(pair.align(query, subject, scoring), align(query, subject, scoring), query, subject, scoring);
}

Alignment align_tuned(GpuPair& pair, const Residues& query, const Residues& subject, const Scoring& scoring,
                      const GpuPairTuning& tuning) {
  const core::Stream stream;
  GpuPairSteps steps(pair, query, subject, scoring, tuning, true);
  steps.upload(stream);
  steps.enqueue(stream);
  steps.download(stream);
  return steps.trace_back(stream);
}

// Segments of a tile and of several, whole and in part, and paths that begin inside one.
TEST_F(GpuPairTest, AlignmentsWithEveryKernelAndAnyRowsKeptLong) {
  GpuPair pair;
  const auto expect_all = [&](const Residues& query, const Residues& subject, const Scoring& scoring, bool pair_table) {
    const Alignment expected = align(query, subject, scoring);
    for (GpuPairTuning tuning : tunings(pair_table))
      for (const int rows : {0, 300, 1024, 2500, 100000}) {
        tuning.kept_bands = rows == 0 ? 0 : std::max(rows / (64 * tuning.strip_rows), 1);
        expect_same(align_tuned(pair, query, subject, scoring, tuning), expected, query, subject, scoring);
      }
  };
  const Residues query = random_residues(3900), tail = random_residues(300);
  Residues subject = random_residues(900);
  const Residues related = random_.relative({query.begin() + 500, query.begin() + 3600});
  subject.insert(subject.end(), related.begin(), related.end());
  subject.insert(subject.end(), tail.begin(), tail.end());
  expect_all(query, subject, dna(2, -3, 5, 2), true);
  const Residues protein = random_residues(2500, 25);
  expect_all(protein, random_.relative({protein.begin() + 300, protein.begin() + 2300}), blosum62(), false);
}

// The best cells of the rows between belong to an alignment that ends before the best one begins.
TEST_F(GpuPairTest, AlignmentsWhoseRowsHaveBetterCellsLong) {
  GpuPair pair;
  for (int trial = 0; trial < 4; ++trial) {
    const Residues one = random_residues(5000), two = random_residues(5300), between = random_residues(700);
    Residues query = one, subject = random_.relative(two);
    query.insert(query.end(), between.begin(), between.end());
    query.insert(query.end(), two.begin(), two.end());
    const Residues unrelated = random_residues(4000), other = random_.relative(one);
    subject.insert(subject.end(), unrelated.begin(), unrelated.end());
    subject.insert(subject.end(), other.begin(), other.end());
    expect_alignment(pair, query, subject, dna(2, -3, 5, 2));
    expect_alignment(pair, subject, query, dna(5, -3, 8, 1));
  }
}

TEST_F(GpuPairTest, AlignmentsAcrossARowThatIsKept) {
  GpuPair pair;
  const Residues query = random_residues(2600);
  const Residues related = random_.relative({query.begin() + 600, query.begin() + 1900});
  expect_alignment(pair, query, related, dna(2, -3, 5, 2));
  // One segment of several tiles.
  expect_same(align_tuned(pair, query, related, dna(2, -3, 5, 2), {.kept_bands = 100}),
              align(query, related, dna(2, -3, 5, 2)), query, related, dna(2, -3, 5, 2));
  const Residues protein = random_residues(1300, 25);
  expect_alignment(pair, protein, random_.relative({protein.begin() + 800, protein.begin() + 1200}), blosum62());
}

TEST_F(GpuPairTest, AlignmentsAreThoseOfTheProcessorLong) {
  GpuPair pair;
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(5, -3, 8, 1), dna(1, -1, 0, 1), dna(1, -2, 1, 0)}) {
    const Residues query = random_residues(12000);
    const Residues related = random_.relative(query), tail = random_residues(2000);
    Residues subject = random_residues(3000);
    subject.insert(subject.end(), related.begin(), related.end());
    subject.insert(subject.end(), tail.begin(), tail.end());
    expect_alignment(pair, query, subject, scoring);
    expect_alignment(pair, subject, query, scoring);
    expect_alignment(pair, query, tail, scoring);
  }
  const Residues protein = random_residues(5000, 25);
  expect_alignment(pair, protein, random_.relative(protein), blosum62());
  expect_alignment(pair, Residues(3000, 0), Residues(2500, 0), dna(2, -3, 5, 2));
  expect_alignment(pair, Residues(3000, 0), Residues(2500, 1), dna(2, -3, 5, 2));
  expect_alignment(pair, {}, Residues(2500, 1), dna(2, -3, 5, 2));
}

TEST_F(GpuPairTest, AlignmentWithALongGapLong) {
  GpuPair pair;
  const Residues left = random_residues(6000), between = random_residues(4000), right = random_residues(6000);
  Residues query = left, subject = left;
  query.insert(query.end(), between.begin(), between.end());
  query.insert(query.end(), right.begin(), right.end());
  subject.insert(subject.end(), right.begin(), right.end());
  for (const auto& scoring : {dna(5, -4, 10, 1), dna(2, -3, 5, 0)}) {
    expect_alignment(pair, query, subject, scoring);
    expect_alignment(pair, subject, query, scoring);
  }
}

TEST_F(GpuPairTest, SpeedOfThePathLarge) {
  const Residues query = random_residues(given_length());
  Residues related = random_.relative(query);
  related.resize(query.size(), 3);
  const Scoring scoring = dna(2, -3, 5, 2);
  const core::Stream stream;
  GpuPair pair;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto milliseconds = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  for (const bool prune : {true, false})
    for (const bool with_traceback : {false, true}) {
      GpuPairSteps steps(pair, query, related, scoring, {.prune = prune}, with_traceback);
      steps.upload(stream);
      const auto begin = now();
      steps.enqueue(stream);
      steps.download(stream);
      const auto swept = now();
      std::printf("%zu x %zu%s: sweep %s special rows %.1f ms\n", query.size(), related.size(), prune ? ", pruned" : "",
                  with_traceback ? "with" : "without", milliseconds(swept - begin));
      if (!with_traceback) continue;
      for (int repeat = 0; repeat < 2; ++repeat) {
        const auto start = now();
        const Alignment alignment = steps.trace_back(stream);
        const auto finish = now();
        const TracebackCounts counts = pair.traceback_counts();
        std::printf("  path %.1f ms: %zu segments, %d rounds, %zu jobs; rows between %d, score %d\n",
                    milliseconds(finish - start), counts.segments, counts.rounds, counts.jobs,
                    pair.tuning().kept_bands * 64 * pair.tuning().strip_rows, alignment.score);
        EXPECT_EQ(rescore(query, related, scoring, alignment.query_begin, alignment.subject_begin, alignment.cigar),
                  alignment.score);
      }
      std::fflush(stdout);
    }
}

}  // namespace
}  // namespace speedwell::alignment
